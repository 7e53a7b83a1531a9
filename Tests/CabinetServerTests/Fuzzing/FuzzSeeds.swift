import Foundation

/// Inputs from which the fuzzer begins, and those that it has found.
enum FuzzSeeds {
    static let publicKey = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEI9OcT721J5926sL4hcKPSun9nsfh
        gdzA46OYkaN7nyoixxliA1J6+vlsycl2ecZW+kejrUgaa+cVRIIWEfn1pA==
        -----END PUBLIC KEY-----
        """
    static let keySet = #"{"keys":[\#(TokenVector.curveKey),\#(TokenVector.rsaKey)]}"#

    /// Returns the seeds of a reader.
    static func seeds(of target: WireFuzzChecks.Target) -> [[UInt8]] {
        switch target {
        case .token:
            [TokenVector.whole, .audiences, .rolesText, .critical, .unnamed, .none, .rsa].map { Array($0.token.utf8) }
        case .keySet: [Array(keySet.utf8), Array(#"{"keys":[{"kty":"EC","crv":"P-384","x":"AA","y":"AA"}]}"#.utf8)]
        case .signature: signatures.compactMap { Data(base64Encoded: $0).map(Array.init) } + [Array(publicKey.utf8)]
        case .ticket: [0, 1].map { [$0] + Array(ticket.utf8) }
        case .target: targets.map { Array($0.utf8) }
        case .form: forms.map { Array($0.utf8) }
        case .signals: [[3] + Array("data: \n\n:\n\nevent: end\r\ndata: \r\n\r\nevent:x\rdata\r\r".utf8)]
        case .cloudKitRequest:
            // The operations in their order.
            cloudKitRequests.flatMap { json in [0, 1, 2, 6, 10, 13].map { [$0] + Array(json.utf8) } }
        case .cloudKitAnswer: cloudKitAnswers.flatMap { json in [0, 1].map { [$0] + Array(json.utf8) } }
        case .request, .answer: [[0] + Array("{}".utf8)]
        }
    }

    private static let signatures = [
        "MEQCICUy/udKmtYAg9MXvAG9XA70wPvEfaTmFU208luStobhAiA3e3QT0EXuKbnbmurbRW8Xagtgdqi4hqm5vogDiUj+mQ==",
        "MEUCIQDiTdLT0J4PkIkej+ERuGNpOE7L/oMGhYBwT5raoNsnygIgF+u00449mdvWLO0y3Tc5bDNE+pAjTB3pY0MHl1GGZ+8=",
        "I9OcT721J5926sL4hcKPSun9nsfhgdzA46OYkaN7nyoixxliA1J6+vlsycl2ecZW+kejrUgaa+cVRIIWEfn1pA==",
    ]
    private static let ticket = """
        {"asset":"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824-5","expiration":800000000,"fieldKey":"picture",\
        "ownerName":"__defaultOwner__","purpose":"download","recordName":"a","recordType":"Notes","roles":[],"scope":"private","user":"_ann",\
        "zoneName":"_defaultZone"}
        """
    private static let targets = [
        "/cabinet/1", "/cabinet/1/com.example.notes/development/fetchRecords",
        "/cabinet/1/com.example.notes/development/signals?scope=private&scope=public",
        "/database/1/com.example.notes/production/private/records/query?ckAPIToken=a%2Bb&ckWebAuthToken=%41",
        "/device/1/com.example.notes/development/tokens/create", "/a%C3%A9/%2e%2e?x=%zz", "bytes=0-4,-5", "2001:db8::1",
    ]
    private static let forms = [
        "multipart/form-data; boundary=x\n--x\r\nContent-Disposition: form-data; name=\"files\"; filename=\"a\"\r\n\r\nbytes\r\n--x--\r\n",
        "multipart/form-data; boundary=\"a b\"\n--a b\r\ncontent-disposition: form-data; name=other\r\n\r\n\r\n--a b\r\n"
            + "Content-Disposition: form-data; name=files\r\n\r\n1\r\n--a b--",
    ]
    private static let cloudKitRequests = [
        """
        {"operations":[{"operationType":"create","record":{"recordName":"a","recordType":"Notes","fields":{"title":{"value":"x","type":"STRING"},\
        "tags":{"value":["a"],"type":"STRING_LIST"},"at":{"value":{"latitude":1,"longitude":2}},"n":5,"list":{"value":{"recordName":"b",\
        "action":"DELETE_SELF"}}}}}],"zoneID":{"zoneName":"_defaultZone"},"atomic":true,"numbersAsStrings":true}
        """,
        """
        {"query":{"recordType":"Notes","filterBy":[{"fieldName":"title","comparator":"BEGINS_WITH","fieldValue":{"value":"x","type":"STRING"}},\
        {"fieldName":"at","comparator":"NEAR","distance":10,"fieldValue":{"value":{"latitude":1,"longitude":2}}}],"sortBy":[{"fieldName":"at",\
        "relativeLocation":{"value":{"latitude":1,"longitude":2}}}]},"resultsLimit":3,"continuationMarker":"AA","desiredKeys":["title"]}
        """,
        #"{"records":[{"recordName":"a"}],"zones":[{"zoneID":{"zoneName":"z"},"syncToken":"AA"}],"syncToken":"AA"}"#,
        #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"z"}},"subscription":{"subscriptionID":"s","#
            + #""subscriptionType":"query","query":{"recordType":"Notes"},"firesOn":["create"],"notificationInfo":{"alertBody":"a"}}}]}"#,
        #"{"tokens":[{"recordName":"a","recordType":"Notes","fieldName":"f"}],"assets":[{"recordName":"a","fieldName":"f"}],"#
            + #""lookupInfos":[{"emailAddress":"a@b.c"}],"apnsEnvironment":"development","apnsToken":"a","users":[{"userRecordName":"_ann"}]}"#,
    ]
    private static let cloudKitAnswers = [
        """
        {"records":[{"recordName":"a","recordType":"Notes","fields":{"title":{"value":"x","type":"STRING"},"n":{"value":5,"type":"INT64"},\
        "f":{"value":{"fileChecksum":"AA","size":5,"downloadURL":"https://c/${f}"},"type":"ASSETID"},"l":{"value":[1],"type":"INT64_LIST"}},\
        "pluginFields":{},"recordChangeTag":"1a","created":{"timestamp":1700000000000,"userRecordName":"_ann","deviceID":"d"},\
        "modified":{"timestamp":1700000000000,"userRecordName":"_ann","deviceID":"d"},"deleted":false,"zoneID":{"zoneName":"_defaultZone",\
        "ownerRecordName":"_ann","zoneType":"DEFAULT_ZONE"}}],"continuationMarker":"AA","syncToken":"AA","moreComing":false}
        """,
        #"{"records":[{"recordName":"a","serverErrorCode":"CONFLICT","reason":"r","retryAfter":1}],"uuid":"1","serverErrorCode":"ATOMIC_ERROR"}"#,
        #"{"zones":[{"zoneID":{"zoneName":"z","ownerRecordName":"_ann"},"syncToken":"AA","atomic":true,"records":[],"moreComing":false}],"#
            + #""syncToken":"AA","moreComing":false,"subscriptions":[{"subscriptionID":"s","subscriptionType":"query","query":{"recordType":"Notes"}}]}"#,
    ]

    /// The inputs that the fuzzer has found, in Base64, each of which was mended.
    static let found: [WireFuzzChecks.Target: [String]] = [:]
}
