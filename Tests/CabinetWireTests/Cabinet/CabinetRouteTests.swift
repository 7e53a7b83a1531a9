import Cabinet
import CabinetTesting
import Foundation
import Testing

@testable import CabinetWire

@Suite("Routes of Cabinet's own dialect")
struct CabinetRouteTests {
    private static let shop = WireContainer(identifier: "com.example.shopping", environment: .production)
    private static let upload = UUID()
    private static let asset = StoredAsset(checksum: Asset.Checksum(of: Data([1])), size: 300)

    private static let routes: [CabinetRoute] = [
        .description, .request("fetchRecords", in: shop), .request("modifyRecords", in: shop),
        .send(to: upload, at: 1 << 40, in: shop), .signals([.private, .public], in: shop),
        .bytes(AssetRange(asset: asset, recordID: "milk", scope: .private, range: 0..<300), in: shop),
        .bytes(
            AssetRange(
                asset: asset,
                recordID: RecordID(recordName: "a/b %&=+?#", zoneID: .init(zoneName: "Z z", ownerName: "_ann")),
                scope: .shared, range: 7..<7), in: shop),
    ]

    @Test("are read from what they write", arguments: routes)
    func roundTrip(_ route: CabinetRoute) throws {
        let target = route.target.description
        #expect(try CabinetRoute(method: route.method, target: RequestTarget(target)) == route)
        #expect(target.utf8.allSatisfy { $0 > 32 && $0 < 127 })
    }

    @Test("have the paths that the article lists")
    func paths() {
        #expect(CabinetRoute.description.target.description == "/cabinet/1")
        #expect(
            CabinetRoute.request("fetchRecords", in: Self.shop).target.description
                == "/cabinet/1/com.example.shopping/production/fetchRecords")
        #expect(
            CabinetRoute.signals([.private], in: Self.shop).target.description
                == "/cabinet/1/com.example.shopping/production/signals?scope=private")
    }

    @Test(
        "that do not exist are not found",
        arguments: [
            "/", "/cabinet", "/cabinet/2", "/cabinet/1/c/development", "/cabinet/1/c/staging/fetchRecords",
            "/cabinet/1/c/development/fetchrecords", "/cabinet/1/c/development/fetchRecords/x",
            "/cabinet/1/c/development/uploads", "/database/1/c/development/private/records/query", "/cabinet/1/c",
        ])
    func notFound(_ target: String) throws {
        let target = try RequestTarget(target)
        for method in ["GET", "POST", "PUT"] {
            #expect(throws: RouteError.notFound) { try CabinetRoute(method: method, target: target) }
        }
    }

    @Test(
        "with malformed parts are refused",
        arguments: [
            "/cabinet/1/c/development/uploads/7?offset=0", "/cabinet/1/c/development/signals",
            "/cabinet/1/c/development/signals?scope=all",
            "/cabinet/1/c/development/uploads/\(upload)?offset=-1", "/cabinet/1/c/development/uploads/\(upload)",
            "/cabinet/1/c/development/uploads/\(upload)?offset=99999999999999999999",
            "/cabinet/1/c/development/assets/x?scope=private&record=milk&from=0&to=1",
            "/cabinet/1/c/development/assets/\(asset)?scope=private&record=milk&from=2&to=1",
            "/cabinet/1/c/development/assets/\(asset)?scope=private&record=milk&from=0&to=301",
            "/cabinet/1/c/development/assets/\(asset)?scope=private&from=0&to=1",
        ])
    func malformed(_ target: String) throws {
        let target = try RequestTarget(target)
        #expect { try CabinetRoute(method: "GET", target: target) } throws: { ($0 as? RouteError)?.status == 400 }
    }

    @Test("with another method name the allowed one", arguments: routes)
    func methods(_ route: CabinetRoute) {
        #expect(throws: RouteError.methodNotAllowed(allowed: [route.method])) {
            try CabinetRoute(method: "PATCH", target: route.target)
        }
    }

    @Test("belong to the dialect by their first segment")
    func owner() {
        #expect(CabinetRoute.owns(["cabinet", "9"]))
        #expect(!CabinetRoute.owns(["database", "1"]))
        #expect(!CabinetRoute.owns([]))
    }
}

@Suite("Targets of requests")
struct RequestTargetTests {
    @Test("are decoded once")
    func decoding() throws {
        let target = try RequestTarget("/a%2Fb/%2520/%C3%A9?x=%26&x=2&y&z==&&")
        #expect(target.path == ["a/b", "%20", "é"])
        #expect(target.query.map(\.value) == ["&", "2", "", "="])
        #expect(target.values("x") == ["&", "2"])
        #expect(target["y"] == "")
        #expect(target["w"] == nil)
    }

    @Test("are escaped with two uppercase digits for each byte")
    func escapes() throws {
        let text = "a-._~\u{E9} /%+\u{1F600}"
        #expect(PercentCoding.encoded(text) == "a-._~%C3%A9%20%2F%25%2B%F0%9F%98%80")
        #expect(try PercentCoding.decoded(Array(PercentCoding.encoded(text).utf8)[...]) == text)
    }

    @Test("keep a plus sign")
    func plus() throws {
        #expect(try RequestTarget("/a+b?c=d+e").path == ["a+b"])
        #expect(try RequestTarget("/a?c=d+e")["c"] == "d+e")
    }

    @Test(
        "that two readers could understand in two ways are refused",
        arguments: [
            "", "a", "http://host/a", "*", "/a b", "/a\tb", "/é", "/a#b", "/a//b", "//a", "/a/", "/.", "/a/..",
            "/%2e%2E/a",
            "/%", "/%2", "/%zz", "/%00", "/%0d%0aX: y", "/%7f", "/%C0%AE%C0%AE/a", "/%ed%a0%80", "/a?%ff", "/a?b=%",
        ])
    func refuses(_ text: String) {
        #expect(throws: CabinetError(.invalidArguments)) { try RequestTarget(text) }
    }

    @Test("are read from what they write, with random texts")
    func random() throws {
        var generator = SeededGenerator(seed: 32)
        for _ in 0..<300 {
            func text() -> String {
                let scalars = (0..<Int.random(in: 1...8, using: &generator)).map { _ -> Unicode.Scalar in
                    Unicode.Scalar(UInt32.random(in: 0x20...0x2FFF, using: &generator)) ?? "x"
                }
                let text = String(String.UnicodeScalarView(scalars.filter { $0.value != 0x7F }))
                return ["", ".", ".."].contains(text) ? "x" : text
            }
            let target = RequestTarget(
                path: (0..<3).map { _ in text() }, query: (0..<2).map { _ in .init(name: text(), value: text()) })
            let read = try RequestTarget(target.description)
            #expect(read.path.map { Array($0.utf8) } == target.path.map { Array($0.utf8) })
            #expect(read.query.map(\.value) == target.query.map(\.value))
        }
    }
}
