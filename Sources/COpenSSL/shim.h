#include <openssl/evp.h>
#include <openssl/hmac.h>
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

/// Encrypts with AES-256-GCM, and writes a ciphertext as long as the message and a tag of 16 bytes; 0 for a failure.
static inline int COpenSSL_gcm_seal(
    const unsigned char *key, const unsigned char *nonce, const unsigned char *data, int data_length,
    const unsigned char *message, int length, unsigned char *ciphertext, unsigned char *tag) {
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    if (!context) return 0;
    int count = 0, rest = 0;
    int is_sealed = EVP_EncryptInit_ex(context, EVP_aes_256_gcm(), NULL, key, nonce) == 1 &&
                    EVP_EncryptUpdate(context, NULL, &count, data, data_length) == 1 &&
                    EVP_EncryptUpdate(context, ciphertext, &count, message, length) == 1 && count == length &&
                    EVP_EncryptFinal_ex(context, ciphertext + count, &rest) == 1 && rest == 0 &&
                    EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_GET_TAG, 16, tag) == 1;
    EVP_CIPHER_CTX_free(context);
    return is_sealed;
}

/// Decrypts with AES-256-GCM; 0 if the key, the nonce, the data or the ciphertext differs from what was encrypted.
static inline int COpenSSL_gcm_open(
    const unsigned char *key, const unsigned char *nonce, const unsigned char *data, int data_length,
    const unsigned char *ciphertext, int length, const unsigned char *tag, unsigned char *message) {
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    if (!context) return 0;
    int count = 0, rest = 0;
    int is_opened = EVP_DecryptInit_ex(context, EVP_aes_256_gcm(), NULL, key, nonce) == 1 &&
                    EVP_DecryptUpdate(context, NULL, &count, data, data_length) == 1 &&
                    EVP_DecryptUpdate(context, message, &count, ciphertext, length) == 1 && count == length &&
                    EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_SET_TAG, 16, (void *)tag) == 1 &&
                    EVP_DecryptFinal_ex(context, message + count, &rest) == 1 && rest == 0;
    EVP_CIPHER_CTX_free(context);
    return is_opened;
}

/// Writes the 32 bytes of HMAC-SHA256; 0 for a failure.
static inline int COpenSSL_hmac(
    const unsigned char *key, int key_length, const unsigned char *message, size_t length, unsigned char *code) {
    unsigned int count = 0;
    return HMAC(EVP_sha256(), key, key_length, message, length, code, &count) != NULL && count == 32;
}

/// Writes the public key of a secret key of X25519, both of 32 bytes; 0 for a failure.
static inline int COpenSSL_x25519_public(const unsigned char *secret, unsigned char *public_key) {
    EVP_PKEY *key = EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, NULL, secret, 32);
    if (!key) return 0;
    size_t length = 32;
    int is_written = EVP_PKEY_get_raw_public_key(key, public_key, &length) == 1 && length == 32;
    EVP_PKEY_free(key);
    return is_written;
}

/// Writes the secret that two keys of X25519 share; 0 for a failure, or if the other key is one that shares zeros with all.
static inline int COpenSSL_x25519_shared(
    const unsigned char *secret, const unsigned char *public_key, unsigned char *shared) {
    EVP_PKEY *own = EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, NULL, secret, 32);
    EVP_PKEY *other = EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, NULL, public_key, 32);
    EVP_PKEY_CTX *context = own && other ? EVP_PKEY_CTX_new(own, NULL) : NULL;
    size_t length = 32;
    int is_derived = context && EVP_PKEY_derive_init(context) == 1 && EVP_PKEY_derive_set_peer(context, other) == 1 &&
                     EVP_PKEY_derive(context, shared, &length) == 1 && length == 32;
    EVP_PKEY_CTX_free(context);
    EVP_PKEY_free(other);
    EVP_PKEY_free(own);
    return is_derived;
}
