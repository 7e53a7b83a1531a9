#if !canImport(ObjectiveC)
public import Foundation

/// Casts between `CKError` and `NSError`, which the Objective-C runtime carries out on Apple's platforms.
extension CKError: _ObjectiveCBridgeable {
    /// Returns the error as an `NSError` of the same domain, code and details.
    public func _bridgeToObjectiveC() -> NSError {
        NSError(domain: Self.errorDomain, code: code.rawValue, userInfo: userInfo)
    }

    /// Reads an `NSError`.
    public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout CKError?) {
        result = CKError(_nsError: source)
    }

    /// Reads an `NSError` of CloudKit's domain, and returns whether it is one.
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSError, result: inout CKError?) -> Bool {
        guard source.domain == errorDomain, Code(rawValue: source.code) != nil else { return false }
        result = CKError(_nsError: source)
        return true
    }

    /// Reads an `NSError`.
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> CKError {
        source.map { CKError(_nsError: $0) } ?? CKError(.internalError)
    }
}
#endif
