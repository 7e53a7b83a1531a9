#if !canImport(ObjectiveC)
public import Foundation

// `date as CVarArg` among the arguments of a format, as programs for Apple's platforms write it.

extension NSObject: @retroactive _CVarArgObject {
    /// The description, which a format with `%@` prints.
    public var _cVarArgObject: any CVarArg { FormattedText(self) }
    /// The encoding of ``_cVarArgObject``, which the caller keeps alive.
    public var _cVarArgEncoding: [Int] { _cVarArgObject._cVarArgEncoding }
}

extension Date: @retroactive _CVarArgObject {
    /// The description, which a format with `%@` prints.
    public var _cVarArgObject: any CVarArg { FormattedText(self) }
    /// The encoding of ``_cVarArgObject``, which the caller keeps alive.
    public var _cVarArgEncoding: [Int] { _cVarArgObject._cVarArgEncoding }
}

extension Data: @retroactive _CVarArgObject {
    /// The description, which a format with `%@` prints.
    public var _cVarArgObject: any CVarArg { FormattedText(self) }
    /// The encoding of ``_cVarArgObject``, which the caller keeps alive.
    public var _cVarArgEncoding: [Int] { _cVarArgObject._cVarArgEncoding }
}

extension Array: @retroactive _CVarArgObject {
    /// The description, which a format with `%@` prints.
    public var _cVarArgObject: any CVarArg { FormattedText(self) }
    /// The encoding of ``_cVarArgObject``, which the caller keeps alive.
    public var _cVarArgEncoding: [Int] { _cVarArgObject._cVarArgEncoding }
}

/// The text of a value, as a format of Foundation takes it.
private struct FormattedText: CVarArg {
    private let text: NSString

    init(_ value: Any) {
        text = value as? NSString ?? NSString(string: "\(value)")
    }

    var _cVarArgEncoding: [Int] { [Int(bitPattern: Unmanaged.passUnretained(text).toOpaque())] }
}
#endif
