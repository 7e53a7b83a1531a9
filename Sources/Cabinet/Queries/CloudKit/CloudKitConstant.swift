/// A constant, or the elements of a list of constants of several types.
struct CloudKitConstant {
    var values: [FieldValue?]

    var holdsNil: Bool { values.contains(nil) }

    var holdsAsset: Bool {
        values.contains { value in
            switch value {
            case .asset, .list(.asset): true
            default: false
            }
        }
    }

    var isText: Bool {
        if case .string? = single { true } else { false }
    }

    var isPlace: Bool {
        if case .location? = single { true } else { false }
    }

    var isNumber: Bool {
        switch single {
        case .int64?, .double?: true
        default: false
        }
    }

    private var single: FieldValue? {
        values.count == 1 ? values[0] : nil
    }
}
