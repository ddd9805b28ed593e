"""Datasets in the forms that others read: one file a consumer."""
