// SPDX-License-Identifier: Apache-2.0
// bench-queue DIRECTORY IN_FLIGHT MILLISECONDS: DEALER → ROUTER broker ROUTER → DEALER and back,
// one process each over ipc, nothing but ZeroMQ. Prints one line of JSON.
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

#include "histogram.h"

enum { MESSAGE = 284, FLIGHT_MAX = 1024, TIME_MAX_MS = 60 * 1000, SILENT_MS = 10 * 1000 };

static char client_end[256], worker_end[256];

static int64_t
now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t) now.tv_sec * 1000000000 + now.tv_nsec;
}

static void *
open_socket(void *context, int type, const char *endpoint, bool binds)
{
    void *socket = zmq_socket(context, type);
    int none = 0;

    zmq_setsockopt(socket, ZMQ_LINGER, &none, sizeof none);
    if (binds ? zmq_bind(socket, endpoint) : zmq_connect(socket, endpoint)) {
        fprintf(stderr, "bench-queue: %s: %s\n", endpoint, zmq_strerror(errno));
        exit(1);
    }
    return socket;
}

// Hands every message that is there from one socket to the other, first frame first. A ROUTER
// puts the sender before it; the other side needs the name of its own peer there instead.
static void
hand_over(void *from, void *to, const char *peer)
{
    char sender[256], bytes[MESSAGE];

    while (zmq_recv(from, sender, sizeof sender, ZMQ_DONTWAIT) >= 0) {
        int size = zmq_recv(from, bytes, sizeof bytes, 0);
        zmq_send(to, peer, strlen(peer), ZMQ_SNDMORE);
        zmq_send(to, bytes, (size_t) size, 0);
    }
}

static void
be_broker(void)
{
    void *context = zmq_ctx_new();
    void *clients = open_socket(context, ZMQ_ROUTER, client_end, true);
    void *workers = open_socket(context, ZMQ_ROUTER, worker_end, true);
    zmq_pollitem_t items[] = { { clients, 0, ZMQ_POLLIN, 0 }, { workers, 0, ZMQ_POLLIN, 0 } };

    while (zmq_poll(items, 2, SILENT_MS) > 0) {
        hand_over(clients, workers, "worker");
        hand_over(workers, clients, "client");
    }
}

static void
be_worker(void)
{
    void *context = zmq_ctx_new();
    void *broker = zmq_socket(context, ZMQ_DEALER);
    zmq_pollitem_t item = { broker, 0, ZMQ_POLLIN, 0 };
    char bytes[MESSAGE];

    zmq_setsockopt(broker, ZMQ_ROUTING_ID, "worker", 6);
    zmq_connect(broker, worker_end);
    while (zmq_poll(&item, 1, SILENT_MS) > 0)
        for (int size; (size = zmq_recv(broker, bytes, sizeof bytes, ZMQ_DONTWAIT)) >= 0;)
            zmq_send(broker, bytes, (size_t) size, 0);
}

static pid_t
spawn(void (*body)(void))
{
    pid_t pid = fork();

    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        body();
        _exit(0);
    }
    return pid;
}

static void
send_now(void *broker)
{
    char bytes[MESSAGE] = { 0 };
    int64_t now = now_ns();

    memcpy(bytes, &now, sizeof now);
    zmq_send(broker, bytes, sizeof bytes, 0);
}

// The first message goes out again and again until worker and broker have met.
static bool
meet(void *broker)
{
    zmq_pollitem_t item = { broker, 0, ZMQ_POLLIN, 0 };
    char bytes[MESSAGE];

    for (int i = 0; i < 100; i++) {
        send_now(broker);
        if (zmq_poll(&item, 1, 50) > 0) {
            while (zmq_poll(&item, 1, 200) > 0)
                zmq_recv(broker, bytes, sizeof bytes, 0);
            return true;
        }
    }
    return false;
}

// Keeps `flight` messages under way for a while. Returns the seconds it took, or 0.
static double
play(void *broker, int flight, int64_t time_ms, histogram_t *times)
{
    zmq_pollitem_t item = { broker, 0, ZMQ_POLLIN, 0 };
    int64_t start = now_ns(), end = start + time_ms * 1000000, sent, now = start;
    char bytes[MESSAGE];

    for (int i = 0; i < flight; i++)
        send_now(broker);
    while (now < end) {
        if (zmq_poll(&item, 1, SILENT_MS) <= 0)
            return 0;
        while (zmq_recv(broker, bytes, sizeof bytes, ZMQ_DONTWAIT) >= 0) {
            now = now_ns();
            memcpy(&sent, bytes, sizeof sent);
            histogram_add(times, now - sent);
            send_now(broker);
        }
    }
    return (double) (now - start) / 1e9;
}

static double
be_client(int flight, int64_t time_ms, histogram_t *times)
{
    void *context = zmq_ctx_new();
    void *broker = zmq_socket(context, ZMQ_DEALER);

    zmq_setsockopt(broker, ZMQ_ROUTING_ID, "client", 6);
    if (zmq_connect(broker, client_end) || !meet(broker))
        return 0;
    return play(broker, flight, time_ms, times);
}

int
main(int argc, char **argv)
{
    static histogram_t times;
    struct rusage own, others;
    int flight = argc == 4 ? (int) strtol(argv[2], NULL, 10) : 0;
    int64_t time_ms = argc == 4 ? strtol(argv[3], NULL, 10) : 0;

    if (flight < 1 || flight > FLIGHT_MAX || time_ms < 1 || time_ms > TIME_MAX_MS) {
        fprintf(stderr, "usage: bench-queue DIRECTORY IN_FLIGHT MILLISECONDS\n");
        return 2;
    }
    snprintf(client_end, sizeof client_end, "ipc://%s/bare-clients.sock", argv[1]);
    snprintf(worker_end, sizeof worker_end, "ipc://%s/bare-workers.sock", argv[1]);
    pid_t broker = spawn(be_broker), worker = spawn(be_worker);
    double seconds = be_client(flight, time_ms, &times);
    kill(broker, SIGKILL);
    kill(worker, SIGKILL);
    waitpid(broker, NULL, 0);
    waitpid(worker, NULL, 0);
    getrusage(RUSAGE_SELF, &own);
    getrusage(RUSAGE_CHILDREN, &others);
    double cpu = (double) (own.ru_utime.tv_sec + own.ru_stime.tv_sec + others.ru_utime.tv_sec
                           + others.ru_stime.tv_sec)
                 + (double) (own.ru_utime.tv_usec + own.ru_stime.tv_usec
                             + others.ru_utime.tv_usec + others.ru_stime.tv_usec)
                       / 1e6;
    printf("{\"perSecond\":%.1f,\"p50\":%.1f,\"p99\":%.1f,\"cpuUs\":%.2f}\n",
           seconds > 0 ? (double) times.total / seconds : 0, histogram_us(&times, .5),
           histogram_us(&times, .99), times.total ? cpu * 1e6 / (double) times.total : 0);
    return seconds > 0 ? 0 : 1;
}
