/// The manifest's JSON Schema (draft-07), for editors; `schema/syncmake.schema.json` is a copy of it.
package enum ManifestSchema {
  /// The schema as JSON, with a line end at its end.
  ///
  /// It accepts whatever ``ManifestParser`` accepts. Editors type plain scalars as YAML 1.2 or 1.1 does, so values that
  /// the parser reads as text may be numbers or booleans here; and a value with a `$` is text until it is expanded.
  package static let text = top + targetKeys + lists + forms

  /// The top-level keys.
  private static let top = #"""
    {
      "$schema": "http://json-schema.org/draft-07/schema#",
      "title": "syncmake manifest",
      "description": "Declares targets: files to keep up to date. Each has a source, a rule that tells whether it is stale, and steps for its bytes.",
      "type": "object",
      "required": ["version", "targets"],
      "additionalProperties": false,
      "properties": {
        "version": {
          "description": "The version of the manifest's format; always 1.",
          "default": 1,
          "anyOf": [{"const": 1}, {"type": "string", "pattern": "^1$"}]
        },
        "include": {
          "description": "Other manifests, by their paths or by patterns with *, ** and ?: in this manifest's folder or below it. Their targets and groups are called FOLDER/NAME; their paths are relative to their own folders.",
          "type": "array",
          "items": {
            "examples": ["genes/syncmake.yaml", "projects/*/syncmake.yaml"],
            "type": ["string", "number", "boolean"],
            "minLength": 1,
            "not": {"type": "string", "pattern": "^/|/$|^(.*/)?\\.\\.(/.*)?$"}
          }
        },
        "vars": {
          "description": "Variables, used as ${name} in values and target names. A variable may refer to others. ${os} (linux, macos) and ${arch} (x86_64, aarch64) are built in; an entry with that name replaces them.",
          "type": "object",
          "propertyNames": {"$ref": "#/definitions/variableName"},
          "additionalProperties": {
            "anyOf": [
              {
                "description": "The variable's value. ${env:NAME} and ${secret:NAME} take it from the environment, ${secret:file:PATH} from a file.",
                "type": ["string", "number", "boolean"]
              },
              {
                "title": "the value in a target's output",
                "description": "Takes the variable's value from the output of a target, which comes first: one line, the group of an expression, or a place in a JSON document.",
                "type": "object",
                "required": ["target"],
                "minProperties": 2,
                "maxProperties": 2,
                "additionalProperties": false,
                "properties": {
                  "target": {
                    "description": "The target whose output has the value; it is one file.",
                    "type": ["string", "number", "boolean"],
                    "minLength": 1
                  },
                  "line": {
                    "description": "The number of the line that is the value, from 1.",
                    "type": ["integer", "string"],
                    "minimum": 1,
                    "maximum": 1000000,
                    "pattern": "\\$|^[0-9]+$"
                  },
                  "regex": {
                    "description": "A POSIX extended expression with one group, which is the value in the first line that it matches.",
                    "examples": ["^version: (.*)$"],
                    "type": ["string", "number", "boolean"],
                    "minLength": 1,
                    "maxLength": 1024
                  },
                  "json": {
                    "description": "A JSON pointer (RFC 6901) to a text or a number.",
                    "examples": ["/tag_name"],
                    "type": "string",
                    "pattern": "^$|^/"
                  }
                }
              }
            ]
          }
        },
        "defaults": {
          "description": "Default values of target keys. A target's own key replaces the whole value.",
          "type": "object",
          "additionalProperties": false,
          "properties": {
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
        "targets": {
          "description": "The files to keep up to date: a mapping from name to target.",
          "defaultSnippets": [
            {
              "label": "a target",
              "description": "A file that comes from a URL.",
              "body": {"${1:name}": {"url": "${2:https://}"}}
            }
          ],
          "type": "object",
          "propertyNames": {"$ref": "#/definitions/name"},
          "additionalProperties": {"$ref": "#/definitions/target"}
        },
        "groups": {
          "description": "Names for sets of targets: for the command line, and for targets that are published together.",
          "type": "object",
          "propertyNames": {"$ref": "#/definitions/name"},
          "additionalProperties": {
            "anyOf": [
              {"$ref": "#/definitions/members"},
              {
                "title": "a group with options",
                "type": "object",
                "required": ["targets"],
                "additionalProperties": false,
                "properties": {
                  "targets": {"$ref": "#/definitions/members"},
                  "together": {
                    "description": "Whether the outputs of all its targets change in one step, or none does.",
                    "default": false,
                    "anyOf": [
                      {"type": "boolean"},
                      {"type": "string", "pattern": "\\$|^(true|True|TRUE|false|False|FALSE)$"}
                    ]
                  }
                }
              }
            ]
          }
        },
        "hosts": {
          "description": "Limits by host name; * means every other host.",
          "type": "object",
          "propertyNames": {"type": "string", "pattern": "\\$|^(\\*|[^:/ \\t\\n\\r\\f\\v]+|\\[?[0-9A-Fa-f:.]+\\]?)$"},
          "additionalProperties": {
            "description": "The limits for this host.",
            "type": "object",
            "minProperties": 1,
            "additionalProperties": false,
            "properties": {
              "connections": {
                "description": "The largest number of open connections to this host (default: 8).",
                "type": ["integer", "string"],
                "minimum": 1,
                "maximum": 1000,
                "pattern": "\\$|^[0-9]+$"
              },
              "rate": {
                "description": "The largest number of requests to this host per second or minute: 3/s, 100/m. Retries and redirects count.",
                "examples": ["3/s", "100/m"],
                "type": "string",
                "pattern": "\\$|^0*[1-9][0-9]*/[sm]$"
              }
            }
          }
        }
      },

    """#
}
