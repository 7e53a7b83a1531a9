import Cabinet
import Foundation

/// A note's picture: the asset, and what its file says of it.
struct Picture: Sendable, Codable {
    let asset: Asset

    /// `nil` if its file is not there, or is of a kind that the program does not know.
    let header: PictureHeader?

    /// Describes a picture that was fetched.
    ///
    /// - Parameter known: A picture that was read before: if it is the same, the file need not be read again.
    init(_ asset: Asset, known: Picture? = nil) {
        self.asset = asset
        let knownHeader = known?.asset == asset ? known?.header : nil
        header = knownHeader ?? asset.fileURL.flatMap { try? PictureHeader(of: $0) }
    }
}

/// What becomes of a note's picture when the note is saved.
enum PictureChoice: Sendable {
    /// It stays; a new note gets the default picture.
    case asItIs
    case standard
    case file(URL)

    /// A picture from a file, of which the header is looked at first.
    static func checked(_ file: URL) throws(PictureError) -> Self {
        _ = try PictureHeader(of: file)
        return .file(file)
    }

    /// The asset to save; `nil` to leave it as it is.
    var asset: Asset? {
        switch self {
        case .asItIs: nil
        case .standard: .standard
        case .file(let file): Asset(fileURL: file)
        }
    }
}

extension Asset {
    /// The picture of a note that has no other.
    ///
    /// It is part of the program, wherever that is moved to.
    static var standard: Asset { Asset(data: Data(PackageResources.default_png)) }
}
