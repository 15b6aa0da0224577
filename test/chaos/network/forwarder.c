/*
 * Several hosts on one machine: a network namespace for each, and a network between them with delay and loss.
 *
 *   forwarder <network> <hosts> <seed>        such as: forwarder 198.18.7 6 42
 *
 * Host 0 is the namespace in which this program was started. Each other host has a new one. In each, a TUN device has
 * the address <network>.<host + 1>. Whatever a host sends to another one comes out of its device here as an IP packet,
 * and goes into the device of the other host after the delay of that direction, or never. So TCP has to send lost
 * packets again, as over a real network. The devices segment and checksum packets before they hand them over.
 *
 * For each host, the program writes a line `<host> <file descriptor of its namespace>`, and then `ready`. It reads lines
 * `<from> <to> <delay in microseconds> <loss in millionths>`, each for one direction, and answers each by `ok`. It ends
 * with its input. The devices end with it, and a namespace with its last process, so that nothing is left to clean up.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { max_hosts = 16, max_packet = 65536, everything = 1000000 };

struct direction {
  int64_t delay_us;
  /* In millionths. */
  int64_t loss;
};

struct packet {
  struct packet *earlier, *later;
  int64_t due_us;
  int to;
  size_t length;
  uint8_t bytes[];
};

static int hosts;
static int devices[max_hosts];
static struct direction directions[max_hosts][max_hosts];
/* The packets under way, by the time at which they arrive. */
static struct packet *first, *last;

static int64_t now_us(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

static void bring_up(int control, const char *device) {
  struct ifreq request = {0};
  snprintf(request.ifr_name, IFNAMSIZ, "%s", device);
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  if (ioctl(control, SIOCSIFFLAGS, &request) < 0) err(1, "%s can't be brought up", device);
}

static void set_address(int control, unsigned long what, const char *device, const char *address) {
  struct ifreq request = {0};
  struct sockaddr_in *internet = (struct sockaddr_in *)&request.ifr_addr;
  snprintf(request.ifr_name, IFNAMSIZ, "%s", device);
  internet->sin_family = AF_INET;
  if (inet_pton(AF_INET, address, &internet->sin_addr) != 1) errx(1, "not an address: %s", address);
  if (ioctl(control, what, &request) < 0) err(1, "%s can't get the address %s", device, address);
}

/* Creates the device of a host in the namespace that this process is in. */
static int open_device(const char *network, int host) {
  struct ifreq request = {0};
  char address[INET_ADDRSTRLEN];
  int device = open("/dev/net/tun", O_RDWR | O_NONBLOCK);
  if (device < 0) err(1, "/dev/net/tun can't be opened");
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  snprintf(request.ifr_name, IFNAMSIZ, "lk%d", getpid());
  if (ioctl(device, TUNSETIFF, &request) < 0) err(1, "no TUN device can be created");
  int control = socket(AF_INET, SOCK_DGRAM, 0);
  if (control < 0) err(1, "no socket");
  snprintf(address, sizeof address, "%s.%d", network, host + 1);
  set_address(control, SIOCSIFADDR, request.ifr_name, address);
  set_address(control, SIOCSIFNETMASK, request.ifr_name, "255.255.255.0");
  bring_up(control, request.ifr_name);
  if (host > 0) bring_up(control, "lo");
  close(control);
  return device;
}

static void create_hosts(const char *network) {
  for (int host = 0; host < hosts; host += 1) {
    if (host > 0 && unshare(CLONE_NEWNET) < 0) err(1, "no network namespace can be created");
    int namespace = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    if (namespace < 0) err(1, "the namespace can't be opened");
    devices[host] = open_device(network, host);
    printf("%d %d\n", host, namespace);
  }
  printf("ready\n");
  fflush(stdout);
}

static void deliver(const struct packet *packet) {
  /* A device whose queue is full drops the packet, as a switch does. */
  ssize_t written = write(devices[packet->to], packet->bytes, packet->length);
  (void)written;
}

static void deliver_due(void) {
  int64_t now = now_us();
  while (first != NULL && first->due_us <= now) {
    struct packet *packet = first;
    first = packet->later;
    if (first == NULL) last = NULL;
    else first->earlier = NULL;
    deliver(packet);
    free(packet);
  }
}

static void add(struct packet *packet) {
  struct packet *before = last;
  while (before != NULL && before->due_us > packet->due_us) before = before->earlier;
  packet->earlier = before;
  packet->later = before == NULL ? first : before->later;
  if (packet->earlier == NULL) first = packet;
  else packet->earlier->later = packet;
  if (packet->later == NULL) last = packet;
  else packet->later->earlier = packet;
}

/* Returns the host that an IPv4 packet is sent to; -1 for all other packets. */
static int destination(const uint8_t *bytes, ssize_t length) {
  if (length < 20 || bytes[0] >> 4 != 4) return -1;
  int host = bytes[19] - 1;
  return host >= 0 && host < hosts ? host : -1;
}

static void receive(int from) {
  static uint8_t bytes[max_packet];
  ssize_t length;
  while ((length = read(devices[from], bytes, sizeof bytes)) > 0) {
    int to = destination(bytes, length);
    if (to < 0) continue;
    struct direction direction = directions[from][to];
    if (drand48() * everything < direction.loss) continue;
    struct packet *packet = malloc(sizeof *packet + length);
    if (packet == NULL) errx(1, "no memory is left");
    packet->due_us = now_us() + direction.delay_us;
    packet->to = to;
    packet->length = length;
    memcpy(packet->bytes, bytes, length);
    add(packet);
  }
}

static void obey(const char *line) {
  int from, to;
  struct direction direction;
  if (sscanf(line, "%d %d %ld %ld", &from, &to, &direction.delay_us, &direction.loss) != 4) errx(1, "unknown: %s", line);
  if (from < 0 || from >= hosts || to < 0 || to >= hosts) errx(1, "no such host: %s", line);
  directions[from][to] = direction;
  printf("ok\n");
  fflush(stdout);
}

/* Reads commands. Ends the program with its input. */
static void read_commands(void) {
  static char line[256];
  static size_t length;
  char byte;
  ssize_t count;
  while ((count = read(STDIN_FILENO, &byte, 1)) == 1) {
    if (byte != '\n') {
      if (length + 1 < sizeof line) line[length++] = byte;
      continue;
    }
    line[length] = '\0';
    length = 0;
    obey(line);
  }
  if (count == 0 || (count < 0 && errno != EAGAIN)) exit(0);
}

int main(int count, char **arguments) {
  if (count != 4) errx(2, "usage: forwarder <network> <hosts> <seed>");
  hosts = atoi(arguments[2]);
  if (hosts < 1 || hosts > max_hosts) errx(2, "expected 1 to %d hosts", max_hosts);
  srand48(atol(arguments[3]));
  /* By default, the kernel may wake the process 50 microseconds late. */
  prctl(PR_SET_TIMERSLACK, 1UL);
  create_hosts(arguments[1]);
  fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK);
  struct pollfd sources[max_hosts + 1];
  for (int host = 0; host < hosts; host += 1) sources[host] = (struct pollfd){.fd = devices[host], .events = POLLIN};
  sources[hosts] = (struct pollfd){.fd = STDIN_FILENO, .events = POLLIN};
  for (;;) {
    int64_t rest_us = first == NULL ? 1000000 : first->due_us - now_us();
    if (rest_us < 0) rest_us = 0;
    struct timespec timeout = {.tv_sec = rest_us / 1000000, .tv_nsec = rest_us % 1000000 * 1000};
    if (ppoll(sources, hosts + 1, &timeout, NULL) < 0 && errno != EINTR) err(1, "poll");
    if (sources[hosts].revents != 0) read_commands();
    for (int host = 0; host < hosts; host += 1)
      if (sources[host].revents != 0) receive(host);
    deliver_due();
  }
}
