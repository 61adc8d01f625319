// The floor of a run with nothing to do: examines each of N files in one folder once.
//
// usage: stats FOLDER N    (the files are f000000, f000001, …)
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int main(int argc, char **argv) {
  if (argc != 3) return 64;
  int folder = open(argv[1], O_RDONLY | O_DIRECTORY);
  if (folder < 0) return 1;
  long count = atol(argv[2]);
  for (long number = 0; number < count; number++) {
    char name[32];
    struct stat status;
    snprintf(name, sizeof name, "f%06ld", number);
    if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return 1;
  }
  return 0;
}
