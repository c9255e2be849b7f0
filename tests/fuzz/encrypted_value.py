# SPDX-License-Identifier: Apache-2.0
"""Encrypted values of remote stores (stores/remote/remote_cipher.h), written a
second time without libsodium: what it gives is what the store has to read."""
import hashlib
import struct

MAGIC = b"dnnlcenc"


def rotate(x, n):
    return (x << n | x >> (32 - n)) & 0xffffffff


def rounds(x):
    """The 20 rounds of ChaCha, on 16 words."""
    for _ in range(10):
        for a, b, c, d in ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14),
                           (3, 7, 11, 15), (0, 5, 10, 15), (1, 6, 11, 12),
                           (2, 7, 8, 13), (3, 4, 9, 14)):
            for to, more, at, n in ((a, b, d, 16), (c, d, b, 12),
                                    (a, b, d, 8), (c, d, b, 7)):
                x[to] = (x[to] + x[more]) & 0xffffffff
                x[at] = rotate(x[at] ^ x[to], n)
    return x


def words(key, rest):
    return list(struct.unpack("<4I", b"expand 32-byte k")) + list(
        struct.unpack("<8I", key)) + list(struct.unpack("<4I", rest))


def chacha(key, counter, nonce):
    first = words(key, struct.pack("<I", counter) + nonce)
    last = rounds(first[:])
    return struct.pack("<16I", *((a + b) & 0xffffffff
                                 for a, b in zip(first, last)))


def poly1305(key, data):
    r = int.from_bytes(key[:16], "little") & 0x0ffffffc0ffffffc0ffffffc0fffffff
    sum_ = 0
    for at in range(0, len(data), 16):
        sum_ += int.from_bytes(data[at:at + 16] + b"\1", "little")
        sum_ = sum_ * r % ((1 << 130) - 5)
    sum_ += int.from_bytes(key[16:], "little")
    return (sum_ & ((1 << 128) - 1)).to_bytes(16, "little")


def padded(data):
    return data + b"\0" * (-len(data) % 16)


def seal(key, nonce, data, bound):
    """XChaCha20-Poly1305 of IETF's draft-irtf-cfrg-xchacha-03."""
    last = rounds(words(key, nonce[:16]))
    key = struct.pack("<8I", *last[:4], *last[12:])
    nonce = b"\0" * 4 + nonce[16:]
    stream = b"".join(chacha(key, 1 + i, nonce)
                      for i in range((len(data) + 63) // 64))
    coded = bytes(a ^ b for a, b in zip(data, stream))
    return coded + poly1305(
        chacha(key, 0, nonce)[:32],
        padded(bound) + padded(coded) + struct.pack("<QQ", len(bound),
                                                    len(coded)))


def derive(secret, which, size):
    """crypto_kdf_derive_from_key()."""
    return hashlib.blake2b(b"", digest_size=size, key=secret,
                           salt=struct.pack("<QQ", which, 0),
                           person=MAGIC + b"\0" * 8).digest()


def name(secret, id_bytes):
    return hashlib.blake2b(id_bytes, digest_size=32,
                           key=derive(secret, 1, 32)).hexdigest()


def value(secret, name_digits, entry, nonce, version=1, size=None):
    head = MAGIC + struct.pack("<II", version, 0) + derive(
        secret, 3, 16) + struct.pack("<Q", len(entry) if size is None else size)
    return head + nonce + seal(derive(secret, 2, 32), nonce, entry,
                               head + name_digits.encode())
