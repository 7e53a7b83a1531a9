import Cabinet
import CabinetWire
import Testing

@Suite("The description of a server")
struct ServerDescriptionTests {
    @Test("is read from what is written")
    func roundTrip() throws {
        let description = ServerDescription(
            maximumBodySize: 1 << 26, abilities: ["signals", "assets"], requests: ["fetchRecords"])
        let json = try description.json()
        #expect(
            String(decoding: json, as: UTF8.self)
                == #"{"version":1,"limits":{"bodySize":67108864,"partSize":1048576},"abilities":["assets","signals"],"requests":["fetchRecords"]}"#
        )
        #expect(try ServerDescription(json: json) == description)
    }

    @Test("of a later version is read, with the parts that are known")
    func later() throws {
        let json =
            #"{"more":{},"version":2,"limits":{"bodySize":1,"partSize":2,"x":null},"abilities":[],"requests":["a"]}"#
        let description = try ServerDescription(json: Array(json.utf8))
        #expect(description.version == 2)
        #expect(description.requests == ["a"])
    }

    @Test(
        "that is malformed is refused with the path",
        arguments: [
            (#"{"version":1}"#, "'limits'"), (#"{"version":1,"limits":{"bodySize":0}}"#, "'limits.bodySize'"),
            (#"{"version":1,"limits":{"bodySize":1,"partSize":1},"abilities":[1]}"#, "'abilities[0]'"),
            (#"[]"#, "an object"), (#"<html>"#, "byte 0"),
        ])
    func refuses(json: String, part: String) {
        #expect { try ServerDescription(json: Array(json.utf8)) } throws: { error in
            let error = error as? CabinetError
            return error?.code == .invalidArguments && error?.message.contains(part) == true
        }
    }
}

@Suite("A stream of signals")
struct SignalStreamTests {
    @Test("is read in any parts", arguments: [1, 2, 3, 7, 100])
    func parts(size: Int) {
        let bytes = SignalStream.signal + SignalStream.idle + SignalStream.signal + SignalStream.end
        var reader = SignalStream.Reader()
        var events: [SignalStream.Event] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            events += reader.events(in: bytes[start..<min(start + size, bytes.count)])
        }
        #expect(events == [.signal, .signal, .end])
    }

    @Test("has any end of lines, and other events are passed over")
    func lines() {
        var reader = SignalStream.Reader()
        let text =
            "data:\r\n\r\ndata\r\revent: other\ndata: 1\n\n: comment\n\nid: 3\ndata: \(String(repeating: "x", count: 9_999))\n\n"
        #expect(reader.events(in: text.utf8) == [.signal, .signal, .signal])
    }
}
