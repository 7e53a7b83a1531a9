import Testing

@testable import Cabinet

/// A value that crosses the seam, without its type.
struct ServiceSample: Sendable {
    /// `request` or `response`, with a number from the second on.
    let name: String
    /// Writes the value.
    let encode: @Sendable () throws -> [UInt8]
    /// Reads a text as a value of the type, and writes that value.
    let recode: @Sendable ([UInt8]) throws -> [UInt8]
    /// Reads a text, and returns whether the value is the sample.
    let isEqual: @Sendable ([UInt8]) throws -> Bool
    /// Reads a request, has a service answer it, and writes the response; `nil` for another value.
    private(set) var answer: (@Sendable ([UInt8], any DatabaseService, Caller) async throws -> [UInt8])?
    /// The number of stored properties.
    let partCount: Int

    init<Value: ServiceValue>(_ name: String, _ value: Value) {
        self.name = name
        encode = { try Value.coding.encode(value) }
        recode = { try Value.coding.encode(try Value.coding.decode($0)) }
        isEqual = { ValueEquality.areEqual(try Value.coding.decode($0), value) }
        partCount = Mirror(reflecting: value).children.count
    }

    init<Request: ServiceRequest>(_ name: String, request: Request) {
        self.init(name, request)
        answer = { json, service, caller in
            let response = try await service.perform(try Request.coding.decode(json), for: caller)
            return try Request.Response.coding.encode(response)
        }
    }
}

/// The samples of a request and of its responses.
struct RequestSamples: Sendable, CustomTestStringConvertible {
    /// The request's name, or `error`.
    let name: String
    /// The name of the request's type.
    let typeName: String
    let effect: RequestEffect?
    let samples: [ServiceSample]
    /// The parts of the request that never leave this machine.
    var localPartCount = 0

    var testDescription: String { name }

    init<Request: ServiceRequest>(_ requests: Request..., localPartCount: Int = 0, responses: [Request.Response]) {
        name = Request.name
        typeName = "\(Request.self)"
        effect = Request.effect
        self.localPartCount = localPartCount
        samples =
            Self.names("request", requests.count).enumerated().map { ServiceSample($1, request: requests[$0]) }
            + Self.names("response", responses.count).enumerated().map { ServiceSample($1, responses[$0]) }
    }

    init(errors: [CabinetError]) {
        (name, typeName, effect) = ("error", "CabinetError", nil)
        samples = Self.names("error", errors.count).enumerated().map { ServiceSample($1, errors[$0]) }
    }

    private static func names(_ name: String, _ count: Int) -> [String] {
        (0..<count).map { $0 == 0 ? name : "\(name) \($0 + 1)" }
    }

    static let all: [RequestSamples] =
        [errors] + records + queries + schema + zones + changes + subscriptions + shares + assets
}
