"""What runs beside the tests inside the sandbox. Python >= 3.8, standard library only."""
