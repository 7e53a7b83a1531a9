import Cabinet
import CabinetServer

/// The files that a person has chosen for the assets of a record, by their fields.
///
/// A browser sends them once. A form that is shown again, after a conflict or a mistake, has a name of this value instead, under which the
/// dashboard keeps the files for some minutes.
struct KeptFiles: Sendable {
    /// The chosen files; none to remove an asset.
    private(set) var fields: [Record.FieldKey: [HTTPForm.File]] = [:]

    /// The name of the hidden field with the name of kept files.
    static let field = "kept"

    /// Whether nothing was chosen.
    var isEmpty: Bool { fields.isEmpty }

    /// Reads the files of a form, and those that were kept for it.
    ///
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the kept ones were removed.
    init(_ form: HTTPForm, of keys: [Record.FieldKey], _ visit: Visit) throws(CabinetError) {
        let kept = visit.uploads.value(form[Self.field], at: visit.place)
        for key in keys {
            let chosen = form.files.filter { $0.field == "file.\(key)" }
            if !chosen.isEmpty {
                fields[key] = chosen
            } else if !form["remove.\(key)"].isEmpty {
                fields[key] = []
            } else if !form["keep.\(key)"].isEmpty {
                guard let files = kept?.fields[key] else { throw Self.isGone(key) }
                fields[key] = files
            }
        }
    }

    init() {}

    /// Keeps the files for the next form, and returns the hidden field that names them.
    func html(_ visit: Visit) -> HTML {
        let size = fields.values.joined().reduce(0) { $0 + $1.size }
        if size == 0 { return .empty }
        let id = visit.uploads.add(self, of: size, at: visit.place)
        return "<input type=\"hidden\" name=\"\(Self.field)\" value=\"\(id)\">"
    }

    /// The choice between a file and the asset that the record has.
    func choice(of key: Record.FieldKey) -> HTML {
        guard let files = fields[key], !files.isEmpty else { return .empty }
        let names = files.map { "\($0.name.shown(60)) (\(Int(clamping: $0.size).counted("byte")))" }.joined(
            separator: ", ")
        return """
            <label class="check"><input type="checkbox" name="keep.\(key)" value="1" checked> \
            Use \(names.shown(300)), which you have chosen</label>
            """
    }

    /// The state of a field after the choice; `nil` if nothing was chosen.
    func description(of key: Record.FieldKey) -> String? {
        fields[key].map { files in
            files.isEmpty ? "removed" : files.map { Int(clamping: $0.size).counted("byte") }.joined(separator: ", ")
        }
    }

    private static func isGone(_ key: Record.FieldKey) -> CabinetError {
        CabinetError(
            .invalidArguments,
            "The file that you had chosen for '\(key)' was kept for fifteen minutes, and is removed. Choose it again.",
            fieldKey: key)
    }
}
