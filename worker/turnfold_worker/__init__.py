"""The worker of Turnfold: stores turns, folds them into levels, refines them."""
