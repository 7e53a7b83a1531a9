/// A request of a ``Database`` to its service.
///
/// A request is a value with a name and a coding, so it can be logged, counted, repeated, and sent over a wire. Cabinet has a
/// closed set of them; a program does not define its own.
public protocol ServiceRequest: ServiceValue {
    /// The response to the request.
    associatedtype Response: ServiceValue

    /// The name of the request, unique among all requests, which is the last part of its path on a wire.
    static var name: String { get }

    /// The effect of the request on the store.
    static var effect: RequestEffect { get }

    /// Has a handler answer the request by its type.
    ///
    /// - Parameter handler: An engine, or a translation to another protocol, that answers each request by its type.
    /// - Returns: The response.
    /// - Throws: The errors of the handler.
    func response(from handler: some RequestHandler) async throws -> Response
}

/// The effect of a request, which decides whether it is sent again when its response was lost.
public enum RequestEffect: Sendable, Hashable {
    /// The request reads.
    case none
    /// The request changes something; a second time changes nothing more, and has the same response.
    case idempotent
    /// The request changes something, and a second time may change more, or fail because of the first.
    case once
}

/// A value that crosses the seam between a ``Database`` and its service.
public protocol ServiceValue: Sendable {
    /// The coding of the values as JSON.
    static var coding: ServiceCoding<Self> { get }
}

/// The coding of a type of values as strict JSON.
///
/// ```swift
/// let json = try FetchRecordsRequest.coding.encode(request)
/// let request = try FetchRecordsRequest.coding.decode(json)
/// ```
public struct ServiceCoding<Value: Sendable>: Sendable {
    private let read: @Sendable (inout JSONReader) throws(CabinetError) -> Value
    private let write: @Sendable (Value, inout JSONWriter) throws(CabinetError) -> Void

    /// Encodes a value as JSON in UTF-8; equal values have equal texts.
    ///
    /// - Throws: ``CabinetError/Code/invalidArguments`` if a part cannot leave this process, such as an asset that was not uploaded.
    public func encode(_ value: Value) throws(CabinetError) -> [UInt8] {
        var writer = JSONWriter()
        try write(value, &writer)
        return writer.bytes
    }

    /// Decodes a value from strict JSON.
    ///
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the text is not JSON in UTF-8, is of another value, has an unknown or
    ///   repeated key, or is too deep; ``CabinetError/Code/limitExceeded`` if it is too long.
    /// - Complexity: O(*n*) in the length of the text, in time and memory.
    public func decode(_ json: [UInt8]) throws(CabinetError) -> Value {
        var reader = try JSONReader(json)
        return try read(&reader)
    }
}

extension ServiceCoding where Value: Coded {
    init() {
        read = { reader throws(CabinetError) in try Value.read(from: &reader) }
        write = { value, writer throws(CabinetError) in try value.write(to: &writer) }
    }
}

/// A response without content.
public struct EmptyResponse: ServiceValue, CodedObject {
    /// The coding as JSON.
    public static var coding: ServiceCoding<Self> { ServiceCoding() }

    /// Creates the response.
    package init() {}

    mutating func code(with coder: inout some ObjectCoder) {}
}

extension DatabaseScope: Coded {}

extension CabinetError: ServiceValue {
    /// The coding as JSON.
    public static var coding: ServiceCoding<Self> { ServiceCoding() }
}
