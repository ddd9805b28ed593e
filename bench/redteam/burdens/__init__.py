"""What weighs on a grader, one a file: `burden(view)` changes a tree that holds the reference."""
