extension ManifestSchema {
  /// A target and its keys.
  static let targetKeys = start + sourceKeys + listKey + otherKeys

  private static let start = #"""
      "definitions": {
        "target": {
          "description": "One file: its source, its freshness rule, and the steps for its bytes.",
          "type": "object",
          "additionalProperties": false,
          "oneOf": [{"required": ["url"]}, {"required": ["from"]}, {"required": ["list"]}],
          "dependencies": {"from": {"not": {"required": ["freshness"]}}, "list": {"not": {"required": ["matrix"]}}},

    """#

  private static let sourceKeys = #"""
          "properties": {
            "url": {
              "description": "Where the bytes come from: an https, http or file URL, or a path relative to the manifest's folder. A list names mirrors, tried in order.",
              "examples": ["https://data.example.org/genes.tsv.gz", "${mirror}/genes.tsv.gz"],
              "anyOf": [
                {"$ref": "#/definitions/source"},
                {
                  "description": "Mirrors, tried in order.",
                  "type": "array",
                  "minItems": 1,
                  "items": {"$ref": "#/definitions/source"}
                }
              ]
            },
            "from": {
              "description": "Another target, whose output is this one's input. Used instead of url and freshness.",
              "allOf": [{"$ref": "#/definitions/nameValue"}]
            },

    """#

  private static let otherKeys = #"""
            "output": {
              "description": "The target's file: a path inside the manifest's folder, relative to it. With a slash at its end, a folder that the target owns. Each part of it has at most 255 bytes. Default: the last part of the URL's path, without the suffix of a decompression step.",
              "examples": ["data/genes.tsv", "vendor/docs/"],
              "type": ["string", "number", "boolean"],
              "pattern": "\\$|^(?!~$|~[^/]*/)[^/\\x00-\\x1f\\x7f][^\\x00-\\x1f\\x7f]*$"
            },
            "needs": {
              "description": "Targets that this one depends on. They are updated first; if the content of one changes, this target is stale.",
              "type": "array",
              "items": {"$ref": "#/definitions/nameValue"}
            },
            "after": {
              "description": "Targets that are only updated first; their content does not matter.",
              "type": "array",
              "items": {"$ref": "#/definitions/nameValue"}
            },
            "matrix": {
              "description": "Makes one target for every combination of the keys' values. ${key} is replaced by the value, and must occur in the target's name. A manifest may have a million targets, which may repeat 32 million keys and values; those under matrix do not count.",
              "type": "object",
              "minProperties": 1,
              "properties": {
                "rows": {
                  "description": "A file in the manifest's folder or below. Each of its rows makes one target, and each column is a variable.",
                  "anyOf": [
                    {
                      "description": "NAME.tsv has a header, and tabs between fields, without quotes; NAME.ndjson or NAME.jsonl has an object on each line.",
                      "type": "string",
                      "examples": ["urls.tsv"],
                      "pattern": "\\$|\\.(tsv|ndjson|jsonl)$|^[0-9]+\\.\\.[0-9]+$"
                    },
                    {
                      "description": "The values of an ordinary key that is called rows.",
                      "type": "array",
                      "minItems": 1,
                      "items": {"type": ["string", "number", "boolean"]}
                    }
                  ]
                }
              },
              "propertyNames": {"$ref": "#/definitions/variableName"},
              "additionalProperties": {
                "description": "The values of this key; 1..22 is a range.",
                "anyOf": [
                  {"type": ["string", "number", "boolean"]},
                  {
                    "description": "Several values and ranges.",
                    "type": "array",
                    "minItems": 1,
                    "items": {"type": ["string", "number", "boolean"]}
                  }
                ]
              }
            },
            "freshness": {"$ref": "#/definitions/freshness"},
            "steps": {"$ref": "#/definitions/steps"},
            "headers": {"$ref": "#/definitions/headers"},
            "auth": {"$ref": "#/definitions/auth"},
            "retries": {"$ref": "#/definitions/retries"},
            "timeout": {"$ref": "#/definitions/timeout"},
            "max_size": {"$ref": "#/definitions/max_size"},
            "mode": {"$ref": "#/definitions/mode"},
            "local_changes": {"$ref": "#/definitions/local_changes"},
            "unproven_length": {"$ref": "#/definitions/unproven_length"},
            "server_digest": {"$ref": "#/definitions/server_digest"},
            "cache": {"$ref": "#/definitions/cache"},
            "optional": {"$ref": "#/definitions/optional"},
            "description": {"$ref": "#/definitions/description"},
            "tags": {"$ref": "#/definitions/tags"}
          }
        },
        "freshness": {
          "description": "The freshness rule. Default: etag, which asks the server whether its version is still the recorded one.",
          "default": "etag",
          "defaultSnippets": [
            {
              "label": "interval",
              "description": "Ask at most once per interval.",
              "body": {"interval": "${1:12h}", "then": "${2:etag}"}
            },
            {
              "label": "sha256 from a sidecar",
              "description": "Fresh if the published digest is that of the local file.",
              "body": {"sha256": {"url": "${1:https://}"}}
            }
          ],
          "anyOf": [
            {"$ref": "#/definitions/simpleRule"},
            {
              "title": "an interval",
              "description": "Fresh while the last successful check is younger than the interval; then another rule decides.",
              "type": "object",
              "required": ["interval"],
              "additionalProperties": false,
              "properties": {
                "interval": {
                  "description": "How long a successful check is valid, such as 12h or 1d.",
                  "allOf": [{"$ref": "#/definitions/duration"}]
                },
                "then": {
                  "description": "The rule that decides after the interval (default: etag).",
                  "allOf": [{"$ref": "#/definitions/simpleRule"}]
                }
              }
            }
          ]
        },
        "steps": {
          "description": "What happens to the bytes as they arrive, in order. The output appears only when every step has succeeded.",
          "type": "array",
          "items": {"$ref": "#/definitions/step"}
        },
        "headers": {
          "description": "Request headers: a mapping from name to value. They are sent to the URL's own origin only.",
          "type": "object",
          "propertyNames": {
            "type": "string",
            "pattern": "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$",
            "not": {
              "pattern": "^([Rr][Aa][Nn][Gg][Ee]|[Ii][Ff]-([Rr][Aa][Nn][Gg][Ee]|[Nn][Oo][Nn][Ee]-[Mm][Aa][Tt][Cc][Hh]|[Mm][Aa][Tt][Cc][Hh]|([Uu][Nn])?[Mm][Oo][Dd][Ii][Ff][Ii][Ee][Dd]-[Ss][Ii][Nn][Cc][Ee])|[Hh][Oo][Ss][Tt]|[Cc][Oo][Nn][Tt][Ee][Nn][Tt]-[Ll][Ee][Nn][Gg][Tt][Hh]|[Tt][Rr][Aa][Nn][Ss][Ff][Ee][Rr]-[Ee][Nn][Cc][Oo][Dd][Ii][Nn][Gg]|[Aa][Cc][Cc][Ee][Pp][Tt]-[Ee][Nn][Cc][Oo][Dd][Ii][Nn][Gg]|[Cc][Oo][Nn][Nn][Ee][Cc][Tt][Ii][Oo][Nn]|[Tt][Ee]|[Ee][Xx][Pp][Ee][Cc][Tt]|[Uu][Pp][Gg][Rr][Aa][Dd][Ee]|[Hh][Tt][Tt][Pp]2-[Ss][Ee][Tt][Tt][Ii][Nn][Gg][Ss])$"
            }
          },
          "additionalProperties": {
            "description": "The header's value, on one line.",
            "type": ["string", "number", "boolean"],
            "pattern": "^[^\\x00-\\x1f\\x7f]*$"
          }
        },
        "auth": {
          "description": "The credentials, of exactly one kind. They are sent to the URL's own origin only.",
          "defaultSnippets": [
            {
              "label": "bearer",
              "description": "A token from the environment.",
              "body": {"bearer": "\\${secret:${1:TOKEN}}"}
            },
            {
              "label": "basic",
              "description": "A user's name, and a password from the environment.",
              "body": {"basic": {"user": "${1:me}", "password": "\\${secret:${2:PASSWORD}}"}}
            }
          ],
          "type": "object",
          "minProperties": 1,
          "maxProperties": 1,
          "additionalProperties": false,
          "properties": {
            "bearer": {
              "description": "A token, sent as Authorization: Bearer. Write ${secret:NAME} to take it from the environment.",
              "allOf": [{"$ref": "#/definitions/line"}]
            },
            "basic": {
              "description": "A user's name and password, sent as Authorization: Basic.",
              "type": "object",
              "required": ["user", "password"],
              "additionalProperties": false,
              "properties": {
                "user": {
                  "description": "The user's name, without a colon.",
                  "type": ["string", "number", "boolean"],
                  "pattern": "\\$|^[^:\\x00-\\x1f\\x7f]+$"
                },
                "password": {
                  "description": "The password. Write ${secret:NAME} to take it from the environment.",
                  "type": ["string", "number", "boolean"],
                  "pattern": "^[^\\x00-\\x1f\\x7f]*$"
                }
              }
            },
            "netrc": {
              "description": "Takes the user's name and password from ~/.netrc.",
              "anyOf": [{"const": true}, {"type": "string", "pattern": "\\$|^(true|True|TRUE)$"}]
            }
          }
        },
        "retries": {
          "description": "How often a request is repeated after a temporary failure (default: 4).",
          "type": ["integer", "string"],
          "minimum": 0,
          "maximum": 1000000,
          "pattern": "\\$|^[0-9]+$"
        },
        "timeout": {
          "description": "Time limits of a request.",
          "type": "object",
          "additionalProperties": false,
          "properties": {
            "connect": {
              "description": "For establishing the connection (default: 10s).",
              "allOf": [{"$ref": "#/definitions/duration"}]
            },
            "stall": {
              "description": "The longest pause between two bytes of a reply (default: 30s).",
              "allOf": [{"$ref": "#/definitions/duration"}]
            },
            "total": {
              "description": "For one whole try (default: no limit).",
              "allOf": [{"$ref": "#/definitions/duration"}]
            }
          }
        },
        "max_size": {
          "description": "The largest size, downloaded or decompressed: 500MB, 2GiB. The units are B, kB, MB, GB (1000) and KiB, MiB, GiB (1024).",
          "examples": ["500MB", "2GiB"],
          "type": "string",
          "pattern": "\\$|^[0-9]+(B|kB|MB|GB|KiB|MiB|GiB)$"
        },
        "mode": {
          "description": "The output's file mode in octal, such as \"0644\". Default: the old file's, or 0666 without the umask's bits.",
          "examples": ["0644"],
          "type": ["string", "integer"],
          "pattern": "\\$|^(0o)?0?[0-7]{3}$"
        },
        "local_changes": {
          "description": "What to do with a locally edited output: refuse fails the target, overwrite replaces the file, keep keeps it.",
          "default": "refuse",
          "anyOf": [
            {
              "enum": ["refuse", "overwrite", "keep"],
              "enumDescriptions": [
                "The target fails, and the message says how to go on.", "The file is replaced by what the source has.",
                "The file is left as it is, and counts as fresh."
              ]
            },
            {"$ref": "#/definitions/template"}
          ]
        },
        "unproven_length": {
          "description": "Whether to accept a reply whose end nothing proves: refuse or accept.",
          "default": "refuse",
          "anyOf": [
            {
              "enum": ["refuse", "accept"],
              "enumDescriptions": [
                "Such a reply is an error.", "The end of the connection is taken for the end of the file."
              ]
            },
            {"$ref": "#/definitions/template"}
          ]
        },
        "server_digest": {
          "description": "Whether to use or ignore the file's digests that servers send in header fields such as Repr-Digest.",
          "default": "use",
          "anyOf": [
            {
              "enum": ["use", "ignore"],
              "enumDescriptions": [
                "What comes must match them, and the target is fresh if one of them equals that of the last download.",
                "They are not looked at."
              ]
            },
            {"$ref": "#/definitions/template"}
          ]
        },
        "cache": {
          "description": "Which caches of the user may give the bytes and get them. Whatever it says, no cache gets what came with auth, a secret, or a reply that forbids it.",
          "default": "share",
          "anyOf": [
            {
              "enum": ["share", "local", "off"],
              "enumDescriptions": [
                "All of them.", "Only the one on the same machine.", "None."
              ]
            },
            {"$ref": "#/definitions/plainOff"},
            {"$ref": "#/definitions/template"}
          ]
        },
        "optional": {
          "description": "Whether a failure of this target is only a warning.",
          "default": false,
          "anyOf": [
            {"type": "boolean"},
            {"type": "string", "pattern": "\\$|^(true|True|TRUE|false|False|FALSE)$"}
          ]
        },
        "description": {
          "description": "A description for people.",
          "type": ["string", "number", "boolean"]
        },
        "tags": {
          "description": "Words by which --tag selects targets.",
          "type": "array",
          "items": {"$ref": "#/definitions/line"}
        },

    """#

  private static let listKey = #"""
            "list": {"$ref": "#/definitions/list"},

    """#
}
