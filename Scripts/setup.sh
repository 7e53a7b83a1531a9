#!/bin/sh
# Finds what this package needs from the system, and installs what is missing.
#
#     Scripts/setup.sh build    what building needs: Swift, the headers of SQLite, PostgreSQL's client, libmicrohttpd,
#                              OpenSSL and libcurl
#     Scripts/setup.sh          what the tests and gates need as well: the sqlite3 shell, PostgreSQL's server, PgBouncer, tmux,
#                              nginx, OpenSSL, Python, Chromium
#
# On Debian and Ubuntu it installs with apt, on macOS with Homebrew. If nothing is missing, it does nothing.
set -eu

oldest_swift=6.1
needs="${1:-test}"

say() {
    printf 'setup: %s\n' "$*"
}

fail() {
    printf 'setup: %s\n' "$*" >&2
    exit 1
}

has() {
    command -v "$1" >/dev/null 2>&1
}

check_swift() {
    has swift ||
        fail "swift was not found. Install Swift $oldest_swift or later from https://www.swift.org/install, then try again."
    version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9][0-9]*\.[0-9][0-9]*\).*/\1/p' | head -n 1)
    [ -n "$version" ] ||
        fail "'swift --version' does not print a version. Is $(command -v swift) a working Swift toolchain?"
    oldest=$(printf '%s\n%s\n' "$oldest_swift" "$version" | sort -t . -k 1,1n -k 2,2n | head -n 1)
    [ "$oldest" = "$oldest_swift" ] ||
        fail "Swift $version is too old: Cabinet needs Swift $oldest_swift or later, from https://www.swift.org/install."
}

has_sqlite_headers() {
    case "$system" in
    Darwin) [ -f "$(xcrun --show-sdk-path 2>/dev/null)/usr/include/sqlite3.h" ] ;;
    *) has pkg-config && pkg-config --exists sqlite3 ;;
    esac
}

has_postgres_headers() {
    has pkg-config && pkg-config --exists libpq && return
    # Homebrew keeps libpq to itself; Swift's package manager asks Homebrew where.
    [ "$system" = Darwin ] && has brew && brew list libpq >/dev/null 2>&1
}

has_http_headers() {
    has pkg-config && pkg-config --exists libmicrohttpd && return
    [ "$system" = Darwin ] && has brew && brew list libmicrohttpd >/dev/null 2>&1
}

# Apple's systems have CryptoKit.
has_signature_headers() {
    [ "$system" = Darwin ] || { has pkg-config && pkg-config --exists libcrypto; }
}

# Apple's systems have URLSession.
has_network_headers() {
    [ "$system" = Darwin ] || { has pkg-config && pkg-config --exists libcurl; }
}

# The tests start a server of their own, so its programs need not be on the path.
has_postgres_server() {
    has initdb && return
    for program in /usr/lib/postgresql/*/bin/initdb /opt/homebrew/opt/postgresql*/bin/initdb \
        /usr/local/opt/postgresql*/bin/initdb; do
        [ ! -x "$program" ] || return 0
    done
    return 1
}

has_browser() {
    has chromium-headless-shell || has chromium || has google-chrome
}

# Debian's packages are for Debian's Python, which may not be the first on the path.
has_websockets() {
    for python in /usr/bin/python3 python3; do
        ! "$python" -c 'import websockets' 2>/dev/null || return 0
    done
    return 1
}

# Debian installs it where only the administrator's path leads.
has_pgbouncer() {
    has pgbouncer || [ -x /usr/sbin/pgbouncer ]
}

# missing NAME APT_PACKAGE BREW_PACKAGE REASON: adds a package to those that will be installed.
missing() {
    case "$installer" in
    apt) package=$2 ;;
    brew) package=$3 ;;
    *) package=$1 ;;
    esac
    say "$1 is missing: $4"
    packages="$packages $package"
}

install_packages() {
    case "$installer" in
    brew)
        say "installing with Homebrew:$packages"
        # shellcheck disable=SC2086 # one word per package
        brew install --quiet $packages
        ;;
    apt)
        sudo=
        if [ "$(id -u)" -ne 0 ]; then
            has sudo || fail "cannot install: this user is not root, and there is no sudo. Run as root: apt-get install$packages"
            sudo=sudo
            say "using sudo, because this user is not root"
            # Without a terminal, sudo must not wait for a password.
            [ -t 0 ] || sudo="sudo -n"
        fi
        say "installing with apt:$packages"
        # A package list that cannot be refreshed may still be good enough.
        $sudo apt-get update -qq || say "apt-get update failed; trying with the lists that are there"
        # shellcheck disable=SC2086 # one word per package
        $sudo env DEBIAN_FRONTEND=noninteractive \
            apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=300 $packages ||
            fail "apt could not install. Run as root, then try again: apt-get install$packages"
        ;;
    *)
        fail "cannot install: neither apt-get nor brew was found. Install, then try again:$packages"
        ;;
    esac
}

system=$(uname -s)
installer=none
if [ "$system" = Darwin ]; then
    ! has brew || installer=brew
elif has apt-get; then
    installer=apt
fi

check_swift
packages=
if [ "$system" != Darwin ]; then
    has pkg-config || missing pkg-config pkg-config pkgconf "Swift's package manager finds system libraries with it"
fi
has_sqlite_headers || missing "the SQLite library" libsqlite3-dev sqlite "CabinetSQLite is compiled against its headers"
has_postgres_headers || missing "PostgreSQL's client library" libpq-dev libpq "CabinetPostgres is compiled against its headers"
has_http_headers || missing "the HTTP server library" libmicrohttpd-dev libmicrohttpd "CabinetListener is compiled against its headers"
has_signature_headers || missing "OpenSSL's library" libssl-dev openssl@3 "CabinetServer checks signatures with it"
has_network_headers || missing "libcurl" libcurl4-openssl-dev curl "CabinetRemote asks servers with it"
if [ "$needs" != build ]; then
    has sqlite3 || missing sqlite3 sqlite3 sqlite "tests look at stores with SQLite's own shell"
    has_postgres_server || missing "PostgreSQL's server" postgresql postgresql@17 "tests start one of their own, in a temporary folder"
    has_pgbouncer || missing PgBouncer pgbouncer pgbouncer "tests run every rule behind a pooler"
    has tmux || missing tmux tmux tmux "tests drive the shopping list's screens in it"
    has nginx || [ -x /usr/sbin/nginx ] || missing nginx nginx-light nginx "a test serves records behind it"
    has openssl || missing openssl openssl openssl "tests give servers a certificate with it"
    has_browser || missing Chromium chromium-headless-shell chromium "tests look at pages in it"
    has_websockets || missing "Python's WebSockets" python3-websockets python-websockets "tests drive the browser with them"
    has python3 || missing Python python3 python3 "the gate of the language is written in it"
fi
[ -z "$packages" ] || install_packages
