"""Datasets in the forms that others read: one file or folder a consumer."""
