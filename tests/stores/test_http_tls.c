/* SPDX-License-Identifier: Apache-2.0 */
/* The store on a real nginx with TLS and HTTP/2: certificates, connections, and
 * the end of the process. */
#include "nginx_server.h"
#include "remote_helpers.h"
#include "test.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct nginx_process server;

/* ---- TLS ----------------------------------------------------------------- */

/* NAME.crt and NAME.key, signed by CA.crt, or by itself. */
static void make_certificate(
        const char *name, const char *ca, const char *extension)
{
    const char *d = test_directory();
    char signer[4 * path_size] = "";
    if (ca != NULL)
        snprintf(signer, sizeof signer, "-CA %s/%s.crt -CAkey %s/%s.key", d, ca,
                d, ca);
    run_shell("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 "
              "-nodes -days 2 -subj /CN=%s -addext %s %s -keyout %s/%s.key "
              "-out %s/%s.crt 2>%s/openssl.log && chmod 600 %s/%s.key",
            name, extension, signer, d, name, d, name, d, d, name);
}

static bool can_make_certificates(void)
{
    if (access("/usr/bin/openssl", X_OK) == 0) return true;
    test_skip(__FILE__, __LINE__, "no openssl");
    return false;
}

static dnnl_cache_store_handle_t *open_tls(
        const char *host, const char *ca, const char *more)
{
    const char *d = test_directory();
    return remote_open(
            "https://%s:%u/fleet?insecure=1&timeout_ms=60000%s%s%s%s%s", host,
            server.port, ca != NULL ? "&ca_file=" : "", ca != NULL ? d : "",
            ca != NULL ? "/" : "", ca != NULL ? ca : "", more);
}

static void expect_no_tls(
        const char *host, const char *ca, const char *more, const char *said)
{
    dnnl_cache_store_handle_t *store = open_tls(host, ca, more);
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100)); /* logs */
    EXPECT_EQ(1, remote_of(store).errors);
    EXPECT_TRUE(strstr(remote_messages(), said) != NULL);
    dnnl_cache_store_close(store);
}

TEST_C(HttpTls, TlsIsVerified)
{
    if (!nginx_is_there() || !can_make_certificates()) return;
    make_certificate("ca", NULL, "keyUsage=keyCertSign");
    make_certificate("another", NULL, "keyUsage=keyCertSign");
    make_certificate("server", "ca", "subjectAltName=IP:127.0.0.1");
    nginx_start(&server, &(struct nginx_lines){.is_tls = true});
    dnnl_cache_store_handle_t *store = open_tls("127.0.0.1", "ca.crt", "");
    EXPECT_OK(put_number(store, 1, 3000000));
    remote_flush(store);
    EXPECT_OK(get_number(store, 1, 3000000));
    EXPECT_EQ(0, remote_of(store).errors);
    dnnl_cache_store_close(store);
    EXPECT_EQ(2, nginx_requests(&server, " HTTP/2.0 "));
    expect_no_tls("127.0.0.1", "another.crt", "", "certificate");
    expect_no_tls("127.0.0.1", NULL, "", "certificate");
    expect_no_tls("localhost", "ca.crt", "", "localhost");
    EXPECT_EQ(2, nginx_requests(&server, "/fleet"));
    nginx_kill(&server);
}

/* libcurl would end TLS in whatever the application has opened. */
TEST_C(HttpTls, DescriptorsOfTheApplicationAreLeftAlone)
{
    char url[4 * path_size];
    if (!nginx_is_there() || !can_make_certificates()) return;
    make_certificate("ca", NULL, "keyUsage=keyCertSign");
    make_certificate("server", "ca", "subjectAltName=IP:127.0.0.1");
    nginx_start(&server, &(struct nginx_lines){.is_tls = true});
    dnnl_cache_store_handle_t *store = open_tls("127.0.0.1", "ca.crt", "");
    EXPECT_OK(put_number(store, 1, 3000));
    remote_flush(store);
    dnnl_cache_store_close(store);
    (void)snprintf(url, sizeof url,
            "https://127.0.0.1:%u/fleet?insecure=1&timeout_ms=5000&ca_file=%s/"
            "ca.crt",
            server.port, test_directory());
    remote_expect_descriptors_alone(url);
    nginx_kill(&server);
}

/* OpenSSL frees what it has in a handler of exit(), while the store's threads
 * make new connections. */
TEST_C(HttpTls, AnApplicationMayExitAmidTransfers)
{
    enum { rounds = 5 };
    uint64_t seed = test_seed();
    if (!nginx_is_there() || !can_make_certificates()) return;
    make_certificate("ca", NULL, "keyUsage=keyCertSign");
    make_certificate("server", "ca", "subjectAltName=IP:127.0.0.1");
    nginx_start(&server, &(struct nginx_lines){.is_tls = true,
                                 .server = "keepalive_requests 1;"});
    for (int i = 0; i < rounds; i++)
        run_shell("ASAN_OPTIONS=detect_leaks=0 %s "
                  "'https://127.0.0.1:%u/fleet?insecure=1&ca_file=%s/ca.crt'"
                  " %u",
                HTTP_LEAVER, server.port, test_directory(),
                (unsigned)(next_random(&seed) % 30000000));
    EXPECT_TRUE(nginx_requests(&server, " PUT ") > 0);
    nginx_kill(&server);
}

/* The OpenCL layer closes its store in a handler that was registered before the
 * module was loaded. What OpenSSL has for each thread is lost then. */
TEST_C(HttpTls, ClosingInAHandlerOfExitSendsAllPuts)
{
    enum { put_count = 20 };
    if (!nginx_is_there() || !can_make_certificates()) return;
    make_certificate("ca", NULL, "keyUsage=keyCertSign");
    make_certificate("server", "ca", "subjectAltName=IP:127.0.0.1");
    nginx_start(&server, &(struct nginx_lines){.is_tls = true});
    run_shell("ASAN_OPTIONS=detect_leaks=0 %s "
              "'https://127.0.0.1:%u/fleet?insecure=1&timeout_ms=20000&"
              "ca_file=%s/ca.crt' 0 close",
            HTTP_LEAVER, server.port, test_directory());
    EXPECT_EQ(put_count, nginx_requests(&server, " HTTP/2.0 201 "));
    nginx_kill(&server);
    nginx_start(&server, NULL);
    run_shell("ASAN_OPTIONS=detect_leaks=0 %s "
              "'http://127.0.0.1:%u/other?insecure=1&timeout_ms=20000' 0 "
              "close",
            HTTP_LEAVER, server.port);
    EXPECT_EQ(put_count, nginx_requests(&server, " HTTP/1.1 201 "));
    nginx_kill(&server);
}

TEST_C(HttpTls, GetsManyAtOnceByOneConnectionOfHttp2)
{
    if (!nginx_is_there() || !can_make_certificates()) return;
    make_certificate("ca", NULL, "keyUsage=keyCertSign");
    make_certificate("server", "ca", "subjectAltName=IP:127.0.0.1");
    nginx_start(&server, &(struct nginx_lines){.is_tls = true});
    expect_many(open_tls("127.0.0.1", "ca.crt", ""));
    EXPECT_EQ(many_entries, nginx_requests(&server, " GET /fleet/"));
    EXPECT_EQ(2, nginx_connections(&server)); /* one for puts */
    nginx_kill(&server);
}

TEST_C(HttpTls, ClientCertificates)
{
    char cert[3 * path_size];
    const char *d = test_directory();
    if (!nginx_is_there() || !can_make_certificates()) return;
    make_certificate("ca", NULL, "keyUsage=keyCertSign");
    make_certificate("server", "ca", "subjectAltName=IP:127.0.0.1");
    make_certificate("client", "ca", "extendedKeyUsage=clientAuth");
    make_certificate("stranger", NULL, "extendedKeyUsage=clientAuth");
    nginx_start(&server, &(struct nginx_lines){.is_tls = true,
                                 .server = "ssl_client_certificate ca.crt;"
                                           "ssl_verify_client on;"});
    snprintf(cert, sizeof cert,
            "&client_cert=%s/client.crt&client_key=%s/"
            "client.key",
            d, d);
    dnnl_cache_store_handle_t *store = open_tls("127.0.0.1", "ca.crt", cert);
    EXPECT_OK(put_number(store, 1, 100));
    remote_flush(store);
    EXPECT_OK(get_number(store, 1, 100));
    dnnl_cache_store_close(store);
    /* Without one nginx answers 400. */
    expect_no_tls("127.0.0.1", "ca.crt", "", "HTTP 400");
    snprintf(cert, sizeof cert,
            "&client_cert=%s/stranger.crt&client_key=%s/"
            "stranger.key",
            d, d);
    expect_no_tls("127.0.0.1", "ca.crt", cert, "HTTP 400");
    nginx_kill(&server);
}

/* A host that vanished leaves a connection of HTTP/2 on which every request
 * times out: after one that did, and a second, another connection is made. */
TEST_C(HttpTls, AConnectionThatWasTooLateIsNotKept)
{
    if (!nginx_is_there() || !can_make_certificates()) return;
    make_certificate("ca", NULL, "keyUsage=keyCertSign");
    make_certificate("server", "ca", "subjectAltName=IP:127.0.0.1");
    nginx_start(&server, &(struct nginx_lines){.is_tls = true});
    dnnl_cache_store_handle_t *store =
            remote_open("https://127.0.0.1:%u/fleet?insecure=1&timeout_ms=2000&"
                        "ca_file=%s/ca.crt",
                    server.port, test_directory());
    for (int i = 0; i < 3; i++)
        EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
    EXPECT_EQ(1, nginx_connections(&server));
    EXPECT_EQ(0, kill(server.pid, SIGSTOP));
    EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
    /* Its caller may have left earlier than it times out. libcurl counts whole
     * seconds. */
    const uint64_t old = now_ms() + 2100;
    const uint64_t end = now_ms() + 60000;
    while ((remote_of(store).timeouts == 0 || now_ms() < old) && now_ms() < end)
        (void)usleep(10000);
    EXPECT_EQ(0, kill(server.pid, SIGCONT));
    /* What was waited for in vain is made good by time first. */
    while (statistics_of(store).misses == 3 && now_ms() < end) {
        (void)usleep(50000);
        EXPECT_STATUS(dnnl_cache_miss, get_number(store, 1, 100));
    }
    EXPECT_EQ(4, statistics_of(store).misses);
    EXPECT_EQ(2, nginx_connections(&server));
    dnnl_cache_store_close(store);
    nginx_kill(&server);
}
