"""The red team: attacks on the reward, and honest solutions in unusual forms.

One file an attack (`attacks/`), a form (`honest/`) and a burden (`burdens/`). An attack counts where
it wins from a naive grader in the same trial (`naive.py`); it must earn nothing from the real one.
"""
