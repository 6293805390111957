/* Parses and formats addresses. See address.h. */
#include "ipc/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int fail(failure *out_failure, const char *text)
{
    return fail_int(
        out_failure,
        "'%.80s' is no address to listen on: expected HOST:PORT or PORT, as in \"127.0.0.1:4717\", \"[::1]:4717\" "
        "or \"4717\" (which is 127.0.0.1:4717), the host a number or localhost and the port up to 65535",
        text);
}

static bool parse_port(const char *text, uint16_t *out_port)
{
    uint32_t port = 0;
    size_t digits = strspn(text, "0123456789");

    if (digits == 0 || digits > 5 || text[digits] != '\0')
        return false;
    for (size_t i = 0; i < digits; i++)
        port = port * 10 + (uint32_t)(text[i] - '0');
    *out_port = (uint16_t)port;
    return port <= UINT16_MAX;
}

static bool set_ipv4(const char *host, uint16_t port, address *out_address)
{
    struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(port)};

    if (inet_pton(AF_INET, strcmp(host, "localhost") == 0 ? "127.0.0.1" : host, &in.sin_addr) != 1)
        return false;
    memcpy(&out_address->storage, &in, sizeof in);
    out_address->length = sizeof in;
    return true;
}

static bool set_ipv6(const char *host, uint16_t port, address *out_address)
{
    struct sockaddr_in6 in = {.sin6_family = AF_INET6, .sin6_port = htons(port)};

    if (inet_pton(AF_INET6, host, &in.sin6_addr) != 1)
        return false;
    memcpy(&out_address->storage, &in, sizeof in);
    out_address->length = sizeof in;
    return true;
}

int address_parse(const char *text, address *out_address, failure *out_failure)
{
    const char *colon = strrchr(text, ':');
    const char *port_text = colon ? colon + 1 : text;
    size_t length = colon ? (size_t)(colon - text) : 0;
    char host[ADDRESS_TEXT_MAX] = "127.0.0.1";
    bool brackets = length >= 2 && text[0] == '[' && text[length - 1] == ']';
    uint16_t port;

    memset(out_address, 0, sizeof *out_address);
    if (length >= sizeof host || !parse_port(port_text, &port))
        return fail(out_failure, text);
    if (colon)
        snprintf(host, sizeof host, "%.*s", (int)(brackets ? length - 2 : length), text + brackets);
    if (brackets ? set_ipv6(host, port, out_address) : set_ipv4(host, port, out_address))
        return 0;
    return fail(out_failure, text);
}

bool address_is_loopback(const address *a)
{
    struct sockaddr_in in;
    struct sockaddr_in6 in6;

    if (a->storage.ss_family == AF_INET) {
        memcpy(&in, &a->storage, sizeof in);
        return ntohl(in.sin_addr.s_addr) >> 24 == 127;
    }
    memcpy(&in6, &a->storage, sizeof in6);
    return a->storage.ss_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&in6.sin6_addr);
}

void address_format(const address *a, char out_text[ADDRESS_TEXT_MAX])
{
    char host[INET6_ADDRSTRLEN] = "?";
    struct sockaddr_in in;
    struct sockaddr_in6 in6;

    snprintf(out_text, ADDRESS_TEXT_MAX, "?");
    if (a->storage.ss_family == AF_INET) {
        memcpy(&in, &a->storage, sizeof in);
        inet_ntop(AF_INET, &in.sin_addr, host, sizeof host);
        snprintf(out_text, ADDRESS_TEXT_MAX, "%s:%u", host, (unsigned)ntohs(in.sin_port));
    } else if (a->storage.ss_family == AF_INET6) {
        memcpy(&in6, &a->storage, sizeof in6);
        inet_ntop(AF_INET6, &in6.sin6_addr, host, sizeof host);
        snprintf(out_text, ADDRESS_TEXT_MAX, "[%s]:%u", host, (unsigned)ntohs(in6.sin6_port));
    }
}
