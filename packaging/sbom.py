#!/usr/bin/env python3
"""Writes the bill of materials of a released program: an SPDX 2.3 document in JSON.

usage: sbom.py --program FILE --version VERSION --output FILE

It lists the Swift packages that Package.resolved pins and what one of them brings along, the libraries that are linked
in, with the versions of this system's archives, and those that are loaded at first use. To be called in the project's
folder. The bytes depend on these and SOURCE_DATE_EPOCH only.
"""

import argparse
import datetime
import hashlib
import json
import os
import re
import subprocess

LOADED = {
    "libcurl": "requests",
    "libcrypto": "minisign signatures",
    "expat": "feeds, sitemaps, S3 listings and Metalinks",
    "liblzma": "unxz",
    "libzstd": "unzstd",
    "libbz2": "bunzip2",
    "libarchive": "unpack of 7z and xar",
    "isa-l": "gunzip, faster",
}

# Archive, name, licence, Debian's package.
LINKED = [
    ("libyaml.a", "libyaml", "MIT", "libyaml-dev"),
    ("libz.a", "zlib", "Zlib", "zlib1g-dev"),
    ("libsqlite3.a", "sqlite", "blessing", "libsqlite3-dev"),
    ("libstdc++.a", "libstdc++", "GPL-3.0-or-later WITH GCC-exception-3.1", None),
]


def output_of(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""


def package(name, version, licence, **more):
    # In SPDX's words: nothing is said about what is not known.
    entry = {
        "SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name),
        "name": name,
        "downloadLocation": more.pop("location", "NOASSERTION"),
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": licence,
        "copyrightText": "NOASSERTION",
    }
    if version:
        entry["versionInfo"] = version
    purl = more.pop("purl", None)
    if purl:
        entry["externalRefs"] = [
            {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl}
        ]
    return {**entry, **more}


def swift_packages():
    with open("Package.resolved", encoding="utf-8") as file:
        for pin in json.load(file)["pins"]:
            state, location = pin["state"], pin["location"]
            version = state.get("version", state["revision"])
            place = re.sub(r"^https://|\.git$", "", location)
            yield package(
                pin["identity"],
                version,
                "Apache-2.0",
                location=f"git+{location}@{state['revision']}",
                purl=f"pkg:swift/{place}@{version}",
            )


def boringssl():
    """The copy that swift-crypto brings along; its revision is known where the Swift packages are checked out."""
    origin, revision = "https://boringssl.googlesource.com/boringssl", None
    noted = ".build/checkouts/swift-crypto/Sources/CCryptoBoringSSL/hash.txt"
    if os.path.exists(noted):
        with open(noted, encoding="utf-8") as file:
            revision = re.search(r"[0-9a-f]{40}", file.read()).group(0)
    location = f"git+{origin}@{revision}" if revision else f"git+{origin}"
    return package("boringssl", revision, "NOASSERTION", location=location, comment="a copy inside swift-crypto")


def linked_libraries():
    compiler = output_of("swift", "--version")
    version = re.search(r"Swift version ([0-9.]+)", compiler)
    yield package("swift-runtime", version and version.group(1), "Apache-2.0 WITH Swift-exception")
    for archive, name, licence, debian in LINKED:
        link = ".build/archives/" + archive
        if not os.path.exists(link):
            continue
        if debian is None:
            debian = output_of("dpkg", "-S", os.path.realpath(link)).split(":")[0]
        version = output_of("dpkg-query", "-W", "-f", "${Version}", debian) if debian else ""
        yield package(name, version, licence, purl=f"pkg:deb/debian/{debian}@{version}" if version else None)


def main():
    parser = argparse.ArgumentParser()
    for option in ["program", "version", "output"]:
        parser.add_argument("--" + option, required=True)
    options = parser.parse_args()
    with open(options.program, "rb") as file:
        sha256 = hashlib.sha256(file.read()).hexdigest()
    created = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)

    main_package = package(
        "syncmake",
        options.version,
        "Apache-2.0",
        checksums=[{"algorithm": "SHA256", "checksumValue": sha256}],
        primaryPackagePurpose="APPLICATION",
    )
    inside = [*swift_packages(), boringssl(), *linked_libraries()]
    loaded = [
        package(name, None, "NOASSERTION", comment=f"loaded from the system at first use, for {purpose}")
        for name, purpose in LOADED.items()
    ]

    def relation(first, kind, second):
        return {"spdxElementId": first, "relationshipType": kind, "relatedSpdxElement": second}

    own = main_package["SPDXID"]
    document = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"syncmake-{options.version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/syncmake-{options.version}-{sha256}",
        "creationInfo": {
            "created": created.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": ["Organization: The syncmake maintainers", "Tool: syncmake-sbom-1"],
        },
        "packages": [main_package] + inside + loaded,
        "relationships": [relation("SPDXRef-DOCUMENT", "DESCRIBES", own)]
        + [relation(own, "STATIC_LINK", entry["SPDXID"]) for entry in inside]
        + [relation(entry["SPDXID"], "RUNTIME_DEPENDENCY_OF", own) for entry in loaded],
    }
    with open(options.output, "w", encoding="utf-8") as file:
        json.dump(document, file, indent=2, ensure_ascii=False)
        file.write("\n")


main()
