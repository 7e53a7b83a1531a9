import Cabinet
import Foundation
import TerminalProgram

extension Command {
    static let showUser = Command(
        words: ["user"], summary: "Show the user's record name, for lists share"
    ) { call in
        try await call.withStore { store in
            call.console.write(try await store.fetchUserRecord().recordID.recordName)
        }
    }

    static let shareList = Command(
        words: ["lists", "share"], parameters: ["LIST", "USER"],
        options: [Option(name: "--read-only", summary: "Let the user read the list, and not change it")],
        summary: "Share a list with another user, and show its URL",
        details: """
            USER is the record name that the other user's 'shopping-list user' shows. Send the URL to that user, who joins
            the list with it. The first time, the list moves to a zone of its own.
            """
    ) { call in
        let user = try call.parameter(1)
        try await call.withStore { store in
            let list = try await call.list(in: store)
            let permission: Share.ParticipantPermission =
                call.arguments.flags.contains("--read-only") ? .readOnly : .readWrite
            let shared = try await store.share(list: list, with: user, permission: permission)
            call.console.write(rows: [[shared.list.title, shared.url?.absoluteString ?? "-"]])
        }
    }

    static let showUsers = Command(
        words: ["lists", "users"], parameters: ["LIST"], summary: "Show the users that have a list"
    ) { call in
        try await call.withStore { store in
            let share = try await store.share(of: call.list(in: store))
            call.console.write(
                rows: (share?.participants ?? []).map { participant in
                    [participant.userRecordName.printable, participant.right, participant.state]
                })
            if share == nil { call.console.writeError("The list is not shared.") }
        }
    }

    static let joinList = Command(
        words: ["lists", "join"], parameters: ["URL"], summary: "Join a list that another user shares"
    ) { call in
        guard let url = URL(string: try call.parameter(0)) else {
            throw CommandError.usage("Give the URL that 'shopping-list lists share' has shown.")
        }
        try await call.withStore { call.show(lists: try await $0.join(url)) }
    }

    static let leaveList = Command(
        words: ["lists", "leave"], parameters: ["LIST"], summary: "Leave a list that another user shares"
    ) { call in
        try await call.withStore { store in
            let list = try await call.list(in: store)
            guard list.isOfAnotherUser else {
                throw CommandError.usage("The list is your own. Delete it, or share it with others.")
            }
            try await store.leave(list: list)
            call.show(lists: [list])
        }
    }
}

extension Share.Participant {
    /// The rights of the user, for display.
    fileprivate var right: String {
        switch (role, permission) {
        case (.owner, _): "owner"
        case (_, .readWrite): "may change"
        case (_, .readOnly): "may read"
        default: "-"
        }
    }

    /// The state of the user, for display.
    fileprivate var state: String { acceptanceStatus == .accepted ? "has the list" : "is invited" }
}
