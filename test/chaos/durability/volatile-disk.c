/*
 * Preloaded into a process, keeps what a power loss would leave of the files of one directory: a copy of each file as it
 * was when fsync or fdatasync last returned for it. Nothing is synced to the real disk.
 *
 * VOLATILE_DISK        the directory, without a slash at its end
 * VOLATILE_DISK_SAVED  where the copies are: `data.<inode>`, and in `names` a link to it for each name. `!` stands for `/`
 * VOLATILE_DISK_FORGETS  a suffix of names of files for which a sync does nothing: the control of the test
 *
 * The name of a file is saved with its contents, as ext4 and XFS do. A name that was removed, or given to another file,
 * is saved when its directory is synced. Writes by mmap and with O_SYNC are not seen; SQLite and libuv use neither. A file
 * that is removed, and whose inode another file gets, would leave its copy to it: the services of the runs remove none.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static atomic_int copies;

/* Ends the process: a copy that is missing would be taken for a defect of the program. */
static void fail(const char *what) {
  perror(what);
  _exit(70);
}

static void temporary_name(char *path, const char *saved) {
  snprintf(path, PATH_MAX, "%s/unfinished.%d.%d", saved, getpid(), atomic_fetch_add(&copies, 1));
}

static void save_data(int descriptor, ino_t inode, const char *saved) {
  char from[64], unfinished[PATH_MAX], finished[PATH_MAX], buffer[65536];
  snprintf(from, sizeof from, "/proc/self/fd/%d", descriptor);
  temporary_name(unfinished, saved);
  snprintf(finished, sizeof finished, "%s/data.%lu", saved, (unsigned long)inode);
  int source = open(from, O_RDONLY | O_CLOEXEC);
  int copy = open(unfinished, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (source < 0 || copy < 0) fail("volatile-disk: open");
  ssize_t length;
  while ((length = read(source, buffer, sizeof buffer)) > 0)
    if (write(copy, buffer, length) != length) fail("volatile-disk: write");
  if (length < 0) fail("volatile-disk: read");
  close(source);
  close(copy);
  if (rename(unfinished, finished) != 0) fail("volatile-disk: rename");
}

/* `name` is relative to the directory. */
static void save_name(const char *name, ino_t inode, const char *saved) {
  char unfinished[PATH_MAX], finished[PATH_MAX + 16], target[64];
  int length = snprintf(finished, sizeof finished, "%s/names/", saved);
  for (; *name != '\0' && length < PATH_MAX; name++) finished[length++] = *name == '/' ? '!' : *name;
  finished[length] = '\0';
  snprintf(target, sizeof target, "../data.%lu", (unsigned long)inode);
  temporary_name(unfinished, saved);
  if (symlink(target, unfinished) != 0 || rename(unfinished, finished) != 0) fail("volatile-disk: save a name");
}

static void save_directory(const char *path, const char *relative, const char *saved) {
  char names[PATH_MAX], name[PATH_MAX], real[PATH_MAX * 2], data[PATH_MAX];
  struct stat status;
  struct dirent *entry;
  DIR *files = opendir(path);
  if (files == NULL) return;
  while ((entry = readdir(files)) != NULL) {
    snprintf(real, sizeof real, "%s/%s", path, entry->d_name);
    if (lstat(real, &status) != 0 || !S_ISREG(status.st_mode)) continue;
    snprintf(data, sizeof data, "%s/data.%lu", saved, (unsigned long)status.st_ino);
    int empty = open(data, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (empty >= 0) close(empty);
    snprintf(name, sizeof name, "%s%s%s", relative, *relative == '\0' ? "" : "/", entry->d_name);
    save_name(name, status.st_ino, saved);
  }
  closedir(files);
  snprintf(names, sizeof names, "%s/names", saved);
  files = opendir(names);
  if (files == NULL) fail("volatile-disk: names");
  size_t depth = strlen(relative) + (*relative == '\0' ? 0 : 1);
  while ((entry = readdir(files)) != NULL) {
    const char *rest = entry->d_name + depth;
    int is_inside = strlen(entry->d_name) > depth && strncmp(entry->d_name, relative, strlen(relative)) == 0;
    if (*entry->d_name == '.' || !is_inside || strchr(rest, '!') != NULL) continue;
    snprintf(real, sizeof real, "%s/%s", path, rest);
    if (lstat(real, &status) == 0) continue;
    snprintf(name, sizeof name, "%s/names/%s", saved, entry->d_name);
    unlink(name);
  }
  closedir(files);
}

static int ends_with(const char *text, const char *suffix) {
  size_t length = strlen(text), end = strlen(suffix);
  return length >= end && strcmp(text + length - end, suffix) == 0;
}

static int save(int descriptor) {
  const char *disk = getenv("VOLATILE_DISK"), *saved = getenv("VOLATILE_DISK_SAVED");
  const char *forgets = getenv("VOLATILE_DISK_FORGETS");
  char link[64], path[PATH_MAX];
  struct stat status;
  if (disk == NULL || saved == NULL || fstat(descriptor, &status) != 0) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = '\0';
  size_t start = strlen(disk);
  if (strncmp(path, disk, start) != 0 || (path[start] != '/' && path[start] != '\0')) return 0;
  const char *relative = path[start] == '/' ? path + start + 1 : "";
  if (S_ISDIR(status.st_mode)) save_directory(path, relative, saved);
  if (!S_ISREG(status.st_mode) || status.st_nlink == 0) return 0;
  if (forgets != NULL && *forgets != '\0' && ends_with(path, forgets)) return 0;
  save_data(descriptor, status.st_ino, saved);
  save_name(relative, status.st_ino, saved);
  return 0;
}

int fsync(int descriptor) { return save(descriptor); }
int fdatasync(int descriptor) { return save(descriptor); }
