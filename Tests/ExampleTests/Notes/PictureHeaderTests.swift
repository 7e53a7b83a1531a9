import Foundation
import ProgramTestSupport
import Testing

@testable import Notes

@Suite("Notes: the headers of pictures, also of hostile ones")
struct PictureHeaderTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func header(of bytes: [UInt8]) throws -> PictureHeader {
        let file = folder.url.appending(path: "picture")
        try Data(bytes).write(to: file)
        return try PictureHeader(of: file)
    }

    @Test("The size of real files is read")
    func realFiles() throws {
        let png = try PictureHeader(of: TestPicture.standard)
        #expect(png.format == .png)
        #expect(png.dimensions == "320 × 240")
        let jpeg = try PictureHeader(of: TestPicture.hills)
        #expect(jpeg.format == .jpeg)
        #expect(jpeg.dimensions == "240 × 160")
    }

    @Test(
        "The size of a JPEG file is found after as many segments as a camera writes",
        arguments: [0xC0, 0xC1, 0xC2, 0xCF])
    func segments(frame: UInt8) throws {
        let segments = [
            TestPicture.segment(0xE0, length: 14), TestPicture.segment(0xE1, length: 65_533), [0xFF, 0x01],
            TestPicture.segment(0xDB, length: 65), [0xFF, 0xFF, 0xFF], TestPicture.segment(0xC4, length: 29),
            TestPicture.segment(0xFE, length: 0),
        ]
        let header = try header(of: TestPicture.jpeg(width: 65_535, height: 1, after: segments, frame: frame))
        #expect(header.dimensions == "65535 × 1")
    }

    @Test("The largest PNG")
    func largest() throws {
        #expect(try header(of: TestPicture.png(width: 0x7FFF_FFFF, height: 1)).width == 0x7FFF_FFFF)
    }

    @Test(
        "A header that makes no sense is refused",
        arguments: [
            TestPicture.png(width: 0, height: 1), TestPicture.png(width: 1, height: 0),
            TestPicture.png(width: 0x8000_0000, height: 1), TestPicture.png(width: 1, height: .max),
            Array(TestPicture.png(width: 1, height: 1).prefix(32)),
            TestPicture.jpeg(width: 0, height: 1), TestPicture.jpeg(width: 1, height: 0),
            TestPicture.jpeg(width: 1, height: 1, after: [[0xFF, 0xD9]]),
            TestPicture.jpeg(width: 1, height: 1, after: [[0xFF, 0xDA, 0, 2]]),
            TestPicture.jpeg(width: 1, height: 1, after: [[0xFF, 0xE0, 0, 0]]),
            TestPicture.jpeg(width: 1, height: 1, after: [[0xFF, 0xE0, 0, 1]]),
            TestPicture.jpeg(width: 1, height: 1, after: [[0x00]]),
            TestPicture.jpeg(width: 1, height: 1, frame: 0xC4),
        ])
    func nonsense(bytes: [UInt8]) {
        #expect(throws: PictureError.self) { try header(of: bytes) }
    }

    @Test("A file with too many segments is refused")
    func endless() {
        let segments = Array(repeating: TestPicture.segment(0xE0, length: 0), count: 100_000)
        #expect(throws: PictureError.self) { try header(of: TestPicture.jpeg(width: 1, height: 1, after: segments)) }
    }

    @Test("A changed byte in a PNG's header is found")
    func checksum() {
        for index in 8..<33 {
            var bytes = TestPicture.png(width: 320, height: 240)
            bytes[index] ^= 1
            #expect(throws: PictureError.self) { try header(of: bytes) }
        }
    }

    @Test("For files that are truncated or overwritten, the header is read or refused")
    func anything() throws {
        var random = SeededRandom(seed: 5)
        let pictures = [
            TestPicture.png(width: 320, height: 240),
            TestPicture.jpeg(width: 320, height: 240, after: [TestPicture.segment(0xE0, length: 14)]),
        ]
        for picture in pictures {
            for count in 0..<picture.count {
                if let header = try? header(of: Array(picture.prefix(count))) { #expect(header.width == 320) }
            }
            for _ in 0..<300 {
                var bytes = picture
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    bytes[.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
                }
                if let header = try? header(of: bytes) { #expect(header.width > 0 && header.height > 0) }
            }
        }
    }

    @Test("A path that is not a file is refused, and a pipe is not waited for")
    func noFile() throws {
        let pipe = folder.path("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        for path in [pipe, folder.url.path, "/dev/null", folder.path("missing")] {
            #expect(throws: PictureError.self) { try PictureHeader(of: URL(filePath: path)) }
        }
    }

    /// Numbers that are the same in every run.
    private struct SeededRandom: RandomNumberGenerator {
        var state: UInt64

        init(seed: UInt64) { state = seed }

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }
}
