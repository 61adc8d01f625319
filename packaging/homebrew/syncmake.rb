# The formula for a tap, `brew install syncmake/tap/syncmake`: builds the program from its tag.
class Syncmake < Formula
  desc "Bring local files up to date with remote ones, as make brings objects up to date"
  homepage "https://github.com/syncmake/syncmake"
  url "https://github.com/syncmake/syncmake.git",
      tag:      "v0.1.0",
      revision: "0123456789abcdef0123456789abcdef01234567"
  license "Apache-2.0"
  head "https://github.com/syncmake/syncmake.git", branch: "main"

  depends_on "pkgconf" => :build
  depends_on xcode: ["26.0", :build]
  depends_on "curl"
  depends_on "libarchive"
  depends_on "libyaml"
  depends_on "openssl@3"
  depends_on "xz"
  depends_on "zstd"

  uses_from_macos "swift" => :build
  uses_from_macos "expat"
  uses_from_macos "sqlite"
  uses_from_macos "zlib"

  def install
    # Swift's sandbox cannot begin within Homebrew's.
    ENV["SYNCMAKE_BUILD_OPTIONS"] = "--disable-sandbox"
    # Homebrew installs what is missing, not apt.
    ENV["SYNCMAKE_SETUP"] = "check"
    system "scripts/install", "--prefix", prefix
  end

  test do
    (testpath/"source").write "text\n"
    (testpath/"syncmake.yaml").write <<~YAML
      version: 1
      targets:
        copy: {url: source, output: copy}
    YAML
    system bin/"syncmake"
    assert_equal "text\n", (testpath/"copy").read
    assert_match "up to date", shell_output(bin/"syncmake")
  end
end
