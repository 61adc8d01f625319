extension ManifestSchema {
  /// The forms that values of several keys have.
  static let forms: String = {
    let digests = [("md5", 32), ("sha1", 40), ("sha256", 64), ("sha512", 128)].map(digest).joined()
    return digests + rest
  }()

  /// The definition of one algorithm's digest.
  private static func digest(_ name: String, _ digits: Int) -> String {
    #"""
        "\#(name)": {
          "description": "The expected \#(name): \#(digits) hexadecimal digits, a sidecar file that holds them, or a line of another target's output.",
          "anyOf": [
            {"type": "string", "pattern": "\\$|^[0-9A-Fa-f]{\#(digits)}$"},
            {"type": "number"},
            {"$ref": "#/definitions/digestSource"}
          ]
        },

    """#
  }

  private static let rest = #"""
        "digestSource": {
          "description": "Where the expected digest is published.",
          "anyOf": [
            {
              "title": "a sidecar",
              "type": "object",
              "required": ["url"],
              "additionalProperties": false,
              "not": {"required": ["entry", "json"]},
              "properties": {
                "url": {
                  "description": "The sidecar: a file beside the download that holds its digest, such as genes.tsv.gz.md5.",
                  "allOf": [{"$ref": "#/definitions/source"}]
                },
                "entry": {
                  "description": "The file's name in the sidecar, if it is not the URL's last part or the output's; * and ? are wildcards, and exactly one line may match.",
                  "allOf": [{"$ref": "#/definitions/line"}]
                },
                "json": {
                  "description": "Where the digest is in a JSON document: a pointer such as /files/0/checksum.",
                  "type": ["string", "number", "boolean"],
                  "pattern": "\\$|^(/([^~/\\x00-\\x1f\\x7f]|~[01])*)+$"
                },
                "signed": {
                  "description": "The signature that the sidecar must have.",
                  "type": "object",
                  "required": ["minisign"],
                  "additionalProperties": false,
                  "properties": {
                    "minisign": {"$ref": "#/definitions/minisign"}
                  }
                }
              }
            },
            {
              "title": "a line of another target's output",
              "type": "object",
              "required": ["target", "entry"],
              "additionalProperties": false,
              "properties": {
                "target": {
                  "description": "The target whose output lists digests, such as SHA256SUMS; it becomes a dependency.",
                  "allOf": [{"$ref": "#/definitions/nameValue"}]
                },
                "entry": {
                  "description": "The file's name in its line.",
                  "allOf": [{"$ref": "#/definitions/line"}]
                }
              }
            }
          ]
        },
        "minisign": {
          "description": "A minisign signature: the key, and where the signature is.",
          "type": "object",
          "required": ["key"],
          "additionalProperties": false,
          "properties": {
            "key": {
              "description": "The publisher's public key: 56 characters that begin with RW, the second line of a .pub file.",
              "type": "string",
              "pattern": "\\$|^RW[QRST][A-Za-z0-9+/]{53}$"
            },
            "url": {
              "description": "The signature's URL (default: the signed file's URL with .minisig appended).",
              "allOf": [{"$ref": "#/definitions/source"}]
            }
          }
        },
        "simpleRule": {
          "description": "A rule other than an interval.",
          "anyOf": [
            {
              "description": "etag: fresh if the server confirms the recorded ETag or Last-Modified. mtime: fresh if Last-Modified is the recorded one; the output gets its time. once: fresh if the output exists. always: never fresh.",
              "enum": ["etag", "mtime", "once", "always"],
              "enumDescriptions": [
                "Fresh when the server confirms the recorded ETag or, where it sends none, the recorded Last-Modified.",
                "Fresh when Last-Modified is the recorded one; the output gets its time.",
                "Fresh when the output is there.", "Never fresh."
              ]
            },
            {"$ref": "#/definitions/template"},
            {
              "title": "a digest",
              "description": "Fresh if the digest equals that of the local file.",
              "type": "object",
              "additionalProperties": false,
              "oneOf": [
                {"required": ["md5"]}, {"required": ["sha1"]}, {"required": ["sha256"]}, {"required": ["sha512"]}
              ],
              "properties": {
                "md5": {"$ref": "#/definitions/md5"},
                "sha1": {"$ref": "#/definitions/sha1"},
                "sha256": {"$ref": "#/definitions/sha256"},
                "sha512": {"$ref": "#/definitions/sha512"},
                "of": {
                  "description": "Whose digest it is: the download's (default) or the output's.",
                  "default": "download",
                  "anyOf": [
                    {
                      "enum": ["download", "output"],
                      "enumDescriptions": ["The bytes as they come.", "The bytes after every step."]
                    },
                    {"$ref": "#/definitions/template"}
                  ]
                }
              }
            }
          ]
        },
        "step": {
          "description": "gunzip, unxz, unzstd, bunzip2, unpack, or verify.",
          "defaultSnippets": [
            {
              "label": "verify by a sidecar",
              "description": "The download must have the published digest.",
              "body": {"verify": {"sha256": {"url": "${1:https://}"}}}
            },
            {
              "label": "unpack one file",
              "description": "The output is one file of the archive.",
              "body": {"unpack": {"entry": "${1:*/bin/tool}"}}
            },
            {
              "label": "unpack into a folder",
              "description": "The output is a folder with the archive's files.",
              "body": {"unpack": {"strip": "${1:auto}"}}
            }
          ],
          "anyOf": [
            {
              "description": "Decompresses every member, stream or frame of the download, or unpacks an archive.",
              "enum": ["gunzip", "unxz", "unzstd", "bunzip2", "unpack"],
              "enumDescriptions": [
                "Unpacks gzip.",
                "Unpacks xz, and lzma.",
                "Unpacks zstd, with windows of up to 128 MiB.",
                "Unpacks bzip2.",
                "Unpacks an archive into the folder that is the output."
              ]
            },
            {"$ref": "#/definitions/template"},
            {
              "title": "unzstd",
              "type": "object",
              "required": ["unzstd"],
              "additionalProperties": false,
              "properties": {
                "unzstd": {
                  "description": "Decompresses zstd with a window limit other than 128 MiB.",
                  "type": "object",
                  "required": ["window"],
                  "additionalProperties": false,
                  "properties": {
                    "window": {
                      "description": "The largest allowed window, from 1KiB to 2GiB. Decompression uses that much memory.",
                      "examples": ["256MiB", "2GiB"],
                      "type": "string",
                      "pattern": "\\$|^[0-9]+(B|kB|MB|GB|KiB|MiB|GiB)$"
                    }
                  }
                }
              }
            },
            {
              "title": "unpack",
              "type": "object",
              "required": ["unpack"],
              "additionalProperties": false,
              "properties": {
                "unpack": {
                  "description": "Unpacks an archive, compressed or not, into the folder that is the output; with entry, one file of it.",
                  "type": ["object", "null"],
                  "additionalProperties": false,
                  "if": {"type": "object", "required": ["entry"]},
                  "then": {"not": {"anyOf": [{"required": ["include"]}, {"required": ["modes"]}, {"required": ["mtimes"]}, {"required": ["prune"]}]}},
                  "properties": {
                    "entry": {
                      "description": "The file that becomes the output: a pattern as in .gitignore, such as */bin/tool, for its path after strip. Exactly one file may match.",
                      "allOf": [{"$ref": "#/definitions/line"}, {"not": {"type": "string", "pattern": "^!|^[^$]*/$"}}]
                    },
                    "format": {
                      "description": "The archive's format, if neither its name nor its first bytes tell it, or the name is wrong.",
                      "anyOf": [
                        {
                          "enum": ["tar", "tar.gz", "tar.xz", "tar.zst", "tar.bz2", "zip", "7z", "xar"],
                          "enumDescriptions": [
                            "A tar that is not compressed.", "A tar compressed with gzip.",
                            "A tar compressed with xz or lzma.", "A tar compressed with zstd.",
                            "A tar compressed with bzip2.", "A zip, stored or deflated.", "A 7z.", "A xar."
                          ]
                        },
                        {"$ref": "#/definitions/template"}
                      ]
                    },
                    "strip": {
                      "description": "How many leading folders are removed from each path before the patterns are compared; auto removes the single folder that contains everything, if there is one.",
                      "default": 0,
                      "anyOf": [
                        {"type": "integer", "minimum": 0, "maximum": 64},
                        {
                          "type": "string",
                          "examples": ["auto"],
                          "pattern": "\\$|^(auto|[0-9]+)$"
                        }
                      ]
                    },
                    "exclude": {
                      "description": "Entries that are skipped even if they are not safe: patterns as in .gitignore, for the path after strip.",
                      "type": "array",
                      "items": {"$ref": "#/definitions/line"}
                    },
                    "include": {
                      "description": "Only these files are unpacked: patterns as in .gitignore, for the path after strip. Each must match a file.",
                      "type": "array",
                      "minItems": 1,
                      "items": {"$ref": "#/definitions/line"}
                    },
                    "modes": {
                      "description": "The permissions of the files in a folder.",
                      "default": "plain",
                      "anyOf": [
                        {
                          "enum": ["plain", "archive"],
                          "enumDescriptions": [
                            "0755 if the archive has any x bit, else 0644, less the umask.", "The nine bits of the archive."
                          ]
                        },
                        {"$ref": "#/definitions/template"}
                      ]
                    },
                    "mtimes": {
                      "description": "The times of the files in a folder.",
                      "default": "now",
                      "anyOf": [
                        {
                          "enum": ["now", "archive"],
                          "enumDescriptions": [
                            "A changed file has the time of the change.", "Changed files have the archive's times."
                          ]
                        },
                        {"$ref": "#/definitions/template"}
                      ]
                    },
                    "prune": {
                      "description": "What happens to files in the folder that are not in the archive.",
                      "default": "recorded",
                      "anyOf": [
                        {
                          "enum": ["recorded", "all", "none"],
                          "enumDescriptions": [
                            "Those that this target unpacked earlier are removed, others stay.",
                            "All are removed.", "All stay."
                          ]
                        },
                        {"$ref": "#/definitions/template"}
                      ]
                    },
                    "max_files": {
                      "description": "An archive with more entries is refused.",
                      "default": 1000000,
                      "type": ["integer", "string"],
                      "minimum": 1,
                      "pattern": "\\$|^[0-9]+$"
                    }
                  }
                }
              }
            },
            {
              "title": "verify",
              "type": "object",
              "required": ["verify"],
              "additionalProperties": false,
              "properties": {
                "verify": {
                  "description": "The bytes at this point must have this digest, size or signature.",
                  "type": "object",
                  "minProperties": 1,
                  "maxProperties": 1,
                  "additionalProperties": false,
                  "properties": {
                    "md5": {"$ref": "#/definitions/md5"},
                    "sha1": {"$ref": "#/definitions/sha1"},
                    "sha256": {"$ref": "#/definitions/sha256"},
                    "sha512": {"$ref": "#/definitions/sha512"},
                    "size": {
                      "description": "The number of bytes.",
                      "type": ["integer", "string"],
                      "minimum": 0,
                      "pattern": "\\$|^[0-9]+$"
                    },
                    "minisign": {"$ref": "#/definitions/minisign"},
                    "tree": {
                      "description": "The tree digest of the unpacked folder: 64 hexadecimal digits.",
                      "type": "string",
                      "pattern": "\\$|^[0-9A-Fa-f]{64}$"
                    }
                  }
                }
              }
            }
          ]
        },
        "source": {
          "description": "An https, http or file URL, or a path relative to the manifest's folder.",
          "type": ["string", "number", "boolean"],
          "pattern": "\\$|^([Hh][Tt][Tt][Pp][Ss]?://(?![^/?#]*@)[^\\s]+|[Ff][Ii][Ll][Ee]://([Ll][Oo][Cc][Aa][Ll][Hh][Oo][Ss][Tt])?/[^\\s#]*[^\\s/#](#[^\\s]*)?|(?![A-Za-z][A-Za-z0-9+.-]*:|/|~$|~[^/]*/)[^\\x00-\\x1f\\x7f]*[^/\\x00-\\x1f\\x7f])$"
        },
        "name": {
          "description": "A name: a letter, a digit or _, then letters, digits, _, ., +, / and -.",
          "type": "string",
          "pattern": "\\$|^[A-Za-z0-9_][A-Za-z0-9_.+/-]*$"
        },
        "members": {
          "description": "The group's targets, and other groups.",
          "type": "array",
          "items": {"$ref": "#/definitions/nameValue"}
        },
        "nameValue": {
          "description": "The name of a target.",
          "type": ["string", "number", "boolean"],
          "pattern": "\\$|^[A-Za-z0-9_][A-Za-z0-9_.+/-]*$"
        },
        "variableName": {
          "description": "A variable's name: a letter or _, then letters, digits, _, . and -.",
          "type": "string",
          "pattern": "^[A-Za-z_][A-Za-z0-9_.-]*$"
        },
        "duration": {
          "description": "A duration such as 500ms, 30s, 15m, 12h, 1d, 2w or 1h30m.",
          "examples": ["30s", "15m", "12h", "1d"],
          "type": "string",
          "pattern": "\\$|^(?=[0-9])([0-9]+w)?([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?$"
        },
        "line": {
          "description": "Text on one line.",
          "type": ["string", "number", "boolean"],
          "pattern": "^[^\\x00-\\x1f\\x7f]+$"
        },
        "plainOff": {
          "description": "off, which an editor that reads YAML 1.1 takes for false.",
          "not": {"anyOf": [{"type": ["string", "number", "array", "object", "null"]}, {"const": true}]}
        },
        "template": {
          "description": "A variable, such as ${name} or ${env:NAME}.",
          "type": "string",
          "pattern": "\\$"
        }
      }
    }

    """#
}
