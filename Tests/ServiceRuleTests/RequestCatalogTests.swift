import Foundation
import Testing

@testable import Cabinet

/// No request is forgotten: the requests of ``RequestHandler``, their files, their names and their golden files are the same.
@Suite("The catalog of requests")
struct RequestCatalogTests {
    private static let service = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Sources/Cabinet/Service").standardizedFileURL

    /// The types of the requests that a handler answers, from the protocol's source.
    private static func handled() throws -> [String] {
        let text = try String(contentsOf: service.appending(path: "RequestHandler.swift"), encoding: .utf8)
        return text.matches(of: #/func response\(to request: (\w+)\) async throws -> (\w+)\.Response/#).map { found in
            #expect(found.1 == found.2)
            return String(found.1)
        }
    }

    @Test("A handler answers each request that has samples, and no other")
    func handler() throws {
        let handled = try Self.handled()
        #expect(handled.count >= 20)
        #expect(handled.count == Set(handled).count)
        #expect(Set(handled) == Set(RequestSamples.all.filter { $0.effect != nil }.map(\.typeName)))
    }

    @Test("Each file of a request declares the request of its name, and its coding")
    func files() throws {
        let paths = FileManager.default.enumerator(atPath: Self.service.path)?.compactMap { $0 as? String } ?? []
        let files = paths.filter { $0.hasSuffix("Request.swift") && !$0.hasSuffix("ServiceRequest.swift") }
        #expect(Set(files.map { Self.name(of: $0) }) == Set(try Self.handled()))
        #expect(files.count == Set(files).count)
        for file in files {
            let text = try String(contentsOf: Self.service.appending(path: file), encoding: .utf8)
            #expect(text.contains("public struct \(Self.name(of: file)): ServiceRequest {"), "\(file)")
            #expect(text.contains("extension \(Self.name(of: file)): CodedObject {"), "\(file)")
        }
    }

    private static func name(of path: String) -> String {
        URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
    }

    @Test("Each request has a name of its own, which is a word of a path, and a golden file")
    func names() throws {
        let names = RequestSamples.all.map(\.name)
        #expect(names.count == Set(names.map { $0.lowercased() }).count)
        #expect(names.allSatisfy { $0.wholeMatch(of: #/[a-z][a-zA-Z]*/#) != nil })
        for request in RequestSamples.all where request.effect != nil {
            #expect(request.typeName.lowercased() == "\(request.name)request".lowercased())
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: GoldenTests.folder.path)
        #expect(Set(files.filter { !$0.hasPrefix(".") }) == Set(names.map { "\($0).json" }))
    }

    @Test("A request that only reads has no effect, and one that is harmless to repeat is idempotent")
    func effects() {
        let effects = Dictionary(grouping: RequestSamples.all, by: \.effect).mapValues { Set($0.map(\.name)) }
        #expect(effects[.once] == ["modifyRecords", "modifyZones", "modifySubscriptions"])
        #expect(
            effects[.idempotent] == [
                "modifySchema", "changeSchema", "acceptShares", "requestShareAccess", "beginUpload", "finishUpload",
                "endUploads",
            ])
        #expect(
            (effects[RequestEffect.none] ?? []).allSatisfy {
                ["fetch", "find", "query", "aggregate", "explain", "validate"].contains(where: $0.hasPrefix)
            })
    }
}
