#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <string.h>

/// Whether a key is on the curve P-256.
static inline int COpenSSL_is_p256(EVP_PKEY *key) {
    char group[32] = "";
    size_t length = 0;
    return EVP_PKEY_get_base_id(key) == EVP_PKEY_EC &&
           EVP_PKEY_get_group_name(key, group, sizeof group, &length) == 1 && strcmp(group, "prime256v1") == 0;
}

/// Reads a public key on the curve P-256 in PEM; NULL for anything else. Free it with EVP_PKEY_free.
static inline EVP_PKEY *COpenSSL_public_key(const void *pem, int length) {
    BIO *text = BIO_new_mem_buf(pem, length);
    if (!text) return NULL;
    EVP_PKEY *key = PEM_read_bio_PUBKEY(text, NULL, NULL, NULL);
    BIO_free(text);
    if (key && !COpenSSL_is_p256(key)) {
        EVP_PKEY_free(key);
        return NULL;
    }
    return key;
}

/// Reads a private key on the curve P-256 in PEM, without a password; NULL for anything else. Free it with EVP_PKEY_free.
static inline EVP_PKEY *COpenSSL_private_key(const void *pem, int length) {
    BIO *text = BIO_new_mem_buf(pem, length);
    if (!text) return NULL;
    // Without the empty password, a key that has one would be asked for on the terminal.
    EVP_PKEY *key = PEM_read_bio_PrivateKey(text, NULL, NULL, (void *)"");
    BIO_free(text);
    if (key && !COpenSSL_is_p256(key)) {
        EVP_PKEY_free(key);
        return NULL;
    }
    return key;
}

/// Writes the signature of the SHA-256 checksum of a message in DER, and returns its length; 0 for a failure.
static inline size_t COpenSSL_sign(
    EVP_PKEY *key, const unsigned char *message, size_t message_length, unsigned char *signature, size_t capacity) {
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    if (!context) return 0;
    size_t length = capacity;
    int is_signed = EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, key) == 1 &&
                    EVP_DigestSign(context, signature, &length, message, message_length) == 1;
    EVP_MD_CTX_free(context);
    return is_signed ? length : 0;
}

/// Reads a public key in DER; NULL if it is not one. Free it with EVP_PKEY_free.
static inline EVP_PKEY *COpenSSL_public_key_der(const unsigned char *der, size_t length) {
    return d2i_PUBKEY(NULL, &der, (long)length);
}

/// Whether the numbers of a public key are possible ones.
static inline int COpenSSL_is_valid(EVP_PKEY *key) {
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(key, NULL);
    if (!context) return 0;
    int is_valid = EVP_PKEY_public_check(context) == 1;
    EVP_PKEY_CTX_free(context);
    return is_valid;
}

/// Whether a signature in DER is that of the SHA-256 checksum of a message.
static inline int COpenSSL_verify(
    EVP_PKEY *key, const unsigned char *message, size_t message_length, const unsigned char *signature,
    size_t signature_length) {
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    if (!context) return 0;
    int is_valid = EVP_DigestVerifyInit(context, NULL, EVP_sha256(), NULL, key) == 1 &&
                   EVP_DigestVerify(context, signature, signature_length, message, message_length) == 1;
    EVP_MD_CTX_free(context);
    return is_valid;
}
