// Statistics
