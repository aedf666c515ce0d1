long basket_main(long count);
int settle(int *ledger, int amount);

int main(int argc, char **argv) {
  (void)argv;
  if (argc > 3) return settle((int *)0, argc) + 1;
  return (int)basket_main(argc - 1);
}
