extension ManifestSchema {
  /// The value of `list` in a target.
  static let lists = #"""
        "list": {
          "description": "A list of files, such as a feed or a folder's listing: this target is a template, of which each selected entry makes one target. Used instead of url.",
          "defaultSnippets": [
            {
              "label": "a folder's listing",
              "description": "The files of a folder on a web server.",
              "body": {"url": "${1:https://}", "format": "index", "include": ["${2:*.tar.gz}"]}
            },
            {
              "label": "a GitHub release",
              "description": "A file of the latest release of a repository.",
              "body": {"format": "github", "repo": "${1:OWNER/NAME}", "match": "${2:tool}-\\${v}.tar.gz", "newest": 1}
            }
          ],
          "type": "object",
          "required": ["format"],
          "additionalProperties": false,
          "anyOf": [{"required": ["url"]}, {"required": ["repo"]}],
          "dependencies": {
            "repo": {
              "properties": {
                "format": {
                  "description": "The only format that has repositories.",
                  "anyOf": [{"const": "github"}, {"$ref": "#/definitions/template"}]
                }
              }
            },
            "entries": {
              "properties": {
                "format": {
                  "description": "The only format whose rows have a place.",
                  "anyOf": [{"const": "json"}, {"$ref": "#/definitions/template"}]
                }
              }
            },
            "fields": {
              "properties": {
                "format": {
                  "description": "The formats that have rows.",
                  "type": "string",
                  "pattern": "\\$|^(json|csv)$"
                }
              }
            }
          },
          "properties": {
            "url": {
              "description": "Where the list is. Beside repo, the URL of GitHub's API on another host.",
              "allOf": [{"$ref": "#/definitions/source"}]
            },
            "format": {
              "description": "How the list is read.",
              "anyOf": [
                {
                  "enum": ["atom", "rss", "dash", "index", "checksums", "github", "json", "csv", "s3", "sitemap", "metalink"],
                  "enumDescriptions": [
                    "An Atom feed.", "An RSS feed.", "The feed of a docset, as Dash and Zeal read it.",
                    "A folder's listing by a web server.", "Files with their digests, such as a SHA256SUMS.",
                    "The releases of a GitHub repository.", "Rows of a JSON document.", "A table with a header, separated by commas.",
                    "The objects of an S3 bucket.", "A sitemap.", "A Metalink."
                  ]
                },
                {"$ref": "#/definitions/template"}
              ]
            },
            "repo": {
              "description": "The GitHub repository whose releases are the list: OWNER/NAME.",
              "type": "string",
              "pattern": "\\$|^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$"
            },
            "entries": {
              "description": "Where the rows of a JSON document are: a pointer such as /files (default: the document itself).",
              "type": "string",
              "pattern": "\\$|^(/([^~/\\x00-\\x1f\\x7f]|~[01])*)*$"
            },
            "fields": {
              "description": "Which part of a row is the entry's key, name, url, version, size, digest or updated: a pointer into a row of JSON, or a column's name. Other names become further fields.",
              "type": "object",
              "propertyNames": {"type": "string", "pattern": "^[A-Za-z0-9_.-]*$"},
              "additionalProperties": {
                "description": "The pointer or column.",
                "type": ["string", "number", "boolean"],
                "pattern": "^[^\\x00-\\x1f\\x7f]*$"
              }
            },
            "include": {
              "description": "Only entries whose key matches are selected: patterns as in .gitignore.",
              "type": "array",
              "minItems": 1,
              "items": {"$ref": "#/definitions/line"}
            },
            "exclude": {
              "description": "Entries whose key matches are left out: patterns as in .gitignore.",
              "type": "array",
              "items": {"$ref": "#/definitions/line"}
            },
            "match": {
              "description": "A pattern for the entry's name, such as tool-${v}.tar.gz. ${v} captures the version; entries that do not match are left out.",
              "examples": ["tool-${v}.tar.gz"],
              "type": "string",
              "pattern": "^((?!\\$\\{v\\})[^\\x00-\\x1f\\x7f])*\\$\\{v\\}((?!\\$\\{v\\})[^\\x00-\\x1f\\x7f])*$"
            },
            "newest": {
              "description": "How many entries are kept of each key or, with match, of all that match: the newest by order. Default: all.",
              "type": ["integer", "string"],
              "minimum": 1,
              "maximum": 1000000,
              "pattern": "\\$|^[0-9]+$"
            },
            "order": {
              "description": "What makes an entry newer than another. Default: the version if there is one, else the time of the last change, else the place in the list.",
              "anyOf": [
                {
                  "enum": ["version", "updated", "position"],
                  "enumDescriptions": [
                    "The higher version.", "The later change.", "The earlier place in the list."
                  ]
                },
                {"$ref": "#/definitions/template"}
              ]
            },
            "prerelease": {
              "description": "Whether pre-releases are selected too.",
              "default": false,
              "anyOf": [
                {"type": "boolean"},
                {"type": "string", "pattern": "\\$|^(true|True|TRUE|false|False|FALSE)$"}
              ]
            },
            "gone": {
              "description": "What happens to the outputs of entries that have left the list.",
              "default": "keep",
              "anyOf": [
                {
                  "enum": ["keep", "remove"],
                  "enumDescriptions": [
                    "They stay.", "They are removed, unless they were edited or the list may be damaged."
                  ]
                },
                {"$ref": "#/definitions/template"}
              ]
            },
            "tree": {
              "description": "Whether a value of the list may have slashes where it becomes a part of an output.",
              "default": false,
              "anyOf": [
                {"type": "boolean"},
                {"type": "string", "pattern": "\\$|^(true|True|TRUE|false|False|FALSE)$"}
              ]
            }
          }
        },

    """#
}
