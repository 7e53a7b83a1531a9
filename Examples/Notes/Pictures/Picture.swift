import Cabinet
import Foundation

/// A note's picture: the asset, and the header of its file.
struct Picture: Sendable, Codable {
    let asset: Asset

    /// `nil` if its file is missing, or has an unknown format.
    let header: PictureHeader?

    /// Describes a fetched picture.
    ///
    /// - Parameter known: A picture that was read before. If it is the same, the file is not read again.
    init(_ asset: Asset, known: Picture? = nil) {
        self.asset = asset
        let knownHeader = known?.asset == asset ? known?.header : nil
        header = knownHeader ?? asset.fileURL.flatMap { try? PictureHeader(of: $0) }
    }
}

/// The change of a note's picture by a save.
enum PictureChoice: Sendable {
    /// Keeps the picture; a new note gets the default picture.
    case unchanged
    case standard
    case file(URL)

    /// A picture from a file, whose header is read first.
    static func checked(_ file: URL) throws(PictureError) -> Self {
        _ = try PictureHeader(of: file)
        return .file(file)
    }

    /// The asset to save; `nil` to keep the current one.
    var asset: Asset? {
        switch self {
        case .unchanged: nil
        case .standard: .standard
        case .file(let file): Asset(fileURL: file)
        }
    }
}

extension Asset {
    /// The default picture of a note.
    ///
    /// It is embedded in the program, so that the program can be moved.
    static var standard: Asset { Asset(data: Data(PackageResources.default_png)) }
}
