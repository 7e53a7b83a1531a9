import Cabinet

@testable import CabinetServer

/// Tokens and keys that were made with OpenSSL 3: the key of signatures, see `SignatureTests`, and two of RSA.
struct TokenVector: Sendable {
    let header: String
    let claims: String
    let signature: String

    init(_ header: String, _ claims: String, _ signature: String) {
        self.header = header
        self.claims = claims
        self.signature = signature
    }

    /// The claims that most tokens have.
    static let ann = #""iss":"https://id.example.com","aud":"notes","sub":"ann""#

    static let whole = TokenVector(
        #"{"alg":"ES256","kid":"a","typ":"JWT"}"#,
        #"{\#(ann),"exp":1800000600,"nbf":1800000000,"roles":["Editor","not a role!"]}"#,
        "AXFb_cFXOSJBPZtxfznR6jcu3fvkFJjAiVg8L54aVNQ4BJq-R94nj3tsg0M8J4bhRY3ZFTbS3R_5sGopOGa5mw")
    static let audiences = TokenVector(
        #"{"alg":"ES256","kid":"a","typ":"JWT"}"#,
        #"{"iss":"https://id.example.com","aud":["mail","notes"],"sub":"ann","exp":1800000600.5}"#,
        "b65jKV7TVFWWpQudeALa0W4Q3X0LG3M0eI7tQyAoSjc81DqbMpJV1qJn7AIY434K5WU3wzf9P0Yto2onaybk8w")
    static let noExpiration = TokenVector(
        #"{"alg":"ES256","kid":"a","typ":"JWT"}"#,
        #"{\#(ann)}"#,
        "7bTI9dABa4pVasR5pzFuXYE0UQrPjXrECqtthQueA09Phu-14DBL1iMR-KZZbIVnXmQbg6pREh1Ut2Oipiby9w")
    static let otherAudience = TokenVector(
        #"{"alg":"ES256","kid":"a","typ":"JWT"}"#,
        #"{"iss":"https://id.example.com","aud":["mail"],"sub":"ann","exp":1800000600}"#,
        "z_y-eboSgiXSrkPlq5nhVNXS99t1T6kuHZiDw9db0h9Os-yrBfL5tirDzWF99uHAmipOrTauGWjN0Kj9BCdCdA")
    static let otherIssuer = TokenVector(
        #"{"alg":"ES256","kid":"a","typ":"JWT"}"#,
        #"{"iss":"https://id.example.org","aud":"notes","sub":"ann","exp":1800000600}"#,
        "61WzEphrzy9DCiO6E9gVrg4vwtO59yULDw_WA68vq0Mr7tomw6EjWTpTfcX6RRiltlyqvYatIuD5o1fH0XLZpQ")
    static let noSubject = TokenVector(
        #"{"alg":"ES256","kid":"a","typ":"JWT"}"#,
        #"{"iss":"https://id.example.com","aud":"notes","sub":"","exp":1800000600}"#,
        "WbKHGDehHUI7JHtomICtvtyZP-mIdOfX4WONsQ1OngTGMGhyC1fgukoyFpLcvNQPgEPqTbpQW085SrEYzRCZ-A")
    static let textExpiration = TokenVector(
        #"{"alg":"ES256","kid":"a","typ":"JWT"}"#,
        #"{\#(ann),"exp":"1800000600"}"#,
        "MYnFqZIYHXKCfouYgs6Co-bgrh_2-TjY2uTIM7bshUWUIfg4Dvl5uLJpn0ia6jOAgfKLtoszzGySnTD8yffvuw")
    static let rolesText = TokenVector(
        #"{"alg":"ES256","kid":"a","typ":"JWT"}"#,
        #"{\#(ann),"exp":1800000600,"roles":"Editor"}"#,
        "oeEXsmMs2RZy9wg0PC0GKWXOX9IFdHIuQxLAhPbe9HRBhO8WHaAE1igF8HvKNc4bil9_LqPIZSJdCUqU9paDRw")
    static let twice = TokenVector(
        #"{"alg":"ES256","kid":"a","typ":"JWT"}"#,
        #"{\#(ann),"sub":"ben","exp":1800000600}"#,
        "4RYk9rDn8V_PvrkurqxP8bXI8zWOk_RJF0ecIf7ZLIIU7rp23VOSmtIBSlHF_L2BXmYi8lJBfxWrLJ_zImhxxw")
    static let notObject = TokenVector(
        #"{"alg":"ES256","kid":"a","typ":"JWT"}"#,
        #"[1]"#,
        "zpKdEt3KnINbAIvI45WxXsHpNMm_qcMtcjrSmsVdt1HVd-nI5UKKsuds8V9IS2zYxRn9IRmGKXF1uolfcwbKYg")
    static let critical = TokenVector(
        #"{"alg":"ES256","kid":"a","crit":["exp"]}"#,
        #"{\#(ann),"exp":1800000600}"#,
        "_aQzffrPtILX_m8qhQhnNcum3jzgD5oU2nzuVPJgL9UV8XSx3IkTFcShkJ5GjVYJQBdZSe5fQIv4vRIz1aiUBw")
    static let type = TokenVector(
        #"{"alg":"ES256","kid":"a","typ":"dpop+jwt"}"#,
        #"{\#(ann),"exp":1800000600}"#,
        "b9CkmuDQ0CK3gfhAatPNHKSmjcPfmhrv0g5VJuSz336LTj2SFKm0TsQtve9w9jdrUjvhxvFcMFueTPIiDWW7XA")
    static let accessToken = TokenVector(
        #"{"alg":"ES256","kid":"a","typ":"at+JWT"}"#,
        #"{\#(ann),"exp":1800000600}"#,
        "IZ2MMTJaYSlKXmWjnKifTIbmenH1y29lfZM8KmVDhoh4lWJ3eIgbyMVTbf_mpiXEkOj79sE8xqY3jQAZHmB1BA")
    static let unnamed = TokenVector(
        #"{"alg":"ES256"}"#,
        #"{\#(ann),"exp":1800000600}"#,
        "UmmTLRmMwuaElPNtOXztqdeNGSYaB3GS_txJRaNMjJOvumWziL0V1RCcIJWgli0rOVj-3xEEvIOHIQ9cGU5ILg")
    static let unknownKey = TokenVector(
        #"{"alg":"ES256","kid":"../a"}"#,
        #"{\#(ann),"exp":1800000600}"#,
        "blwb3QSlLxaZ56i3CBydw2vIiq3754vo-dVyi3eL_Lo93iLCAf4xR-LPm26UuQCN6MYbeYuwbkRVM9ANUQSTgg")
    static let otherAlgorithm = TokenVector(
        #"{"alg":"RS256","kid":"a"}"#,
        #"{\#(ann),"exp":1800000600}"#,
        "J6vc4Xkcz1qSc8REjAayjFr_SQxEayJzXsQ0YqknjhLd3ZkSamNLk6tvq228pI_ZdtZQMcplR37FR2eDAnPXIg")
    static let none = TokenVector(
        #"{"alg":"none","kid":"a"}"#,
        #"{\#(ann),"exp":1800000600}"#,
        "oXyU0ceA_puIGjNtKIObBFSzqzk6OZXKJAze_P0In70j66dh0qQxUhi0Z7nax1CpDvqgAlrNUu9eTWhqMIamvw")
    static let address = TokenVector(
        #"{"alg":"ES256","kid":"b","jku":"http://127.0.0.1:9/jwks.json"}"#,
        #"{\#(ann),"exp":1800000600}"#,
        "ktNqEHVkuUW2qbK0GkA44DbYgx-D33KqZA0TA7AkBubi9g5MD9axqCcV4FGd_p82PGaTOH_E6vowgbTg67-i2g")
    static let rsa = TokenVector(
        #"{"alg":"RS256","kid":"r"}"#, #"{\#(ann),"exp":1800000600}"#,
        """
        Q3Atg0CzIYDwvNklRDOYlljZez9lFqcDAbQk3w40qY1jIwnzsQIXy2NLi9-RPWsmUpeligv7DKhez6DZvn7XL3rG5TFM6-\
        q6zadyWeVh27z9QzWHasDAvANumn52gOW2lfIIuaNNtYqM-\
        cEIIRLZRv5WaHki3BLNnGQwJiHQ3JA_kNjWIaVMe3MDeTGq1XvPX9iHM6R0ciSNNDumepLdRx1Yhz7l-A-SE_kT2v4rby9THjBTj\
        nBYaeoVderNc5WzHiOFzJd_iYizzAm79m9jY6DzIjjCdlVYVOfZPNeFUfE02CU1XhaEKdwEhtmpM2mKZWyz8z2Ce6oEuCAu6Vwha\
        w
        """)

    static let curveKey = """
        {"kty":"EC","crv":"P-256","kid":"a","use":"sig","alg":"ES256",\
        "x":"I9OcT721J5926sL4hcKPSun9nsfhgdzA46OYkaN7nyo","y":"IscZYgNSevr5bMnJdnnGVvpHo61IGmvnFUSCFhH59aQ"}
        """
    static let modulus = """
        tv-i6szHL-\
        L_MZwvPmCv5-F-x1TS8x2u-Y95k1Gxez5M4z2tuiwaTfY56Cnrxt_o23CRpvE21sAkBTmXyrK3Etsn37NRAJowtxK4KU_xEZi-oy\
        F1ceSV3TYmq7MGarmtvOYuk_96Yw7QnykUUMLyWfbDpBmnNOb0Iyy0QPnTLK6Ze7op9aZwtP67-\
        WEIVDJoDm3e0CAsP7I1o5dFqMDNPT1heZyI4Zsq_LkP0uQbPEc82fPDzn_A-BsPlUA-\
        nWUnV6uGiXk2hFNufPSGo1T9_n3whrlKxwYIT5JA6Ig5ry2az2d8SKnNJ91mYvYlNe1LxeoUljgOy-s32OLJtu-Zpw
        """
    static let smallModulus = """
        t62fw5vJBhRlKMkvm9m5TzHuxX-\
        R2HNkuOuE3CZMtSlGr6KLZfJB8br0X1cOvYYs3s2mBEa68mxv4_q9a43HsLeUEbXzalOR19vJoKPybKISbHGyzfS4ruJUWZV-\
        qzGqlFWGPUhbaV0cuDDAOEHuKUC6xOrxtRFP1UyrDWrKYIE
        """
    static let rsaKey = #"{"kty":"RSA","kid":"r","key_ops":["verify"],"e":"AQAB","n":"\#(modulus)"}"#

    /// The token as it is sent.
    var token: String {
        "\(URLBase64.encode(Array(header.utf8))).\(URLBase64.encode(Array(claims.utf8))).\(signature)"
    }
}
