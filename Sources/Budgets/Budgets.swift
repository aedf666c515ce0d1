// Budgets
