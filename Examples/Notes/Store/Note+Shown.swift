import Cabinet
import Foundation
import TerminalProgram

/// How notes are shown.
extension Note {
    /// The title on one line: a dash if there is none.
    var shownTitle: String { title.isEmpty ? "-" : title.printable }

    /// The edited date, as the tutorial shows it.
    var shownDate: String { editedDate?.shown ?? "-" }

    /// The picture's width and height.
    var shownDimensions: String { picture?.header?.dimensions ?? "-" }

    /// The picture's size.
    var shownSize: String { picture?.asset.size?.shownAsBytes ?? "-" }

    /// Everything about the picture, such as `PNG, 320 × 240, 1.4 kB`.
    var shownPicture: String {
        guard let picture else { return "no picture" }
        guard let header = picture.header else { return "a picture that cannot be read, \(shownSize)" }
        return "\(header.format.rawValue), \(header.dimensions), \(shownSize)"
    }
}

extension Date {
    /// The date as the tutorial's format `MMMM dd, yyyy, hh:mm` shows it, in the user's time zone.
    var shown: String {
        formatted(
            Date.VerbatimFormatStyle(
                format: """
                    \(month: .wide) \(day: .twoDigits), \(year: .padded(4)), \
                    \(hour: .twoDigits(clock: .twelveHour, hourCycle: .oneBased)):\(minute: .twoDigits)
                    """,
                locale: Locale(identifier: "en_US_POSIX"), timeZone: .current,
                calendar: Calendar(identifier: .gregorian)))
    }
}

extension Int64 {
    /// A number of bytes as a person reads it.
    var shownAsBytes: String {
        let units = ["kB", "MB", "GB", "TB"]
        guard self >= 1000 else { return "\(self) bytes" }
        var (value, unit) = (Double(self) / 1000, 0)
        while value >= 999.95, unit < units.count - 1 { (value, unit) = (value / 1000, unit + 1) }
        return String(format: "%.1f ", value) + units[unit]
    }
}
