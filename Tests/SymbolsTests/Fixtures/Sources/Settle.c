/* Two functions inlined into each other, and one that stays: a crash in `store` shows four frames for three calls. */

__attribute__((noinline)) static int store(volatile int *ledger, int amount) {
  *ledger = amount;
  return *ledger - 1;
}

static inline __attribute__((always_inline)) int rounded(int *ledger, int amount) {
  return store(ledger, amount / 5 * 5) + 2;
}

static inline __attribute__((always_inline)) int taxed(int *ledger, int amount) {
  int tax = amount * 19;
  return rounded(ledger, amount + tax) ^ tax;
}

__attribute__((noinline)) int settle(int *ledger, int amount) {
  int result = taxed(ledger, amount);
  return result * 3;
}
