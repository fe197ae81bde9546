#!/usr/bin/env bash
# Signs dist/Lamplight.app and makes the disk image: dmg.sh VERSION
#
# SIGN_IDENTITY names a "Developer ID Application" certificate of the keychain. Without it the app is signed for
# nobody ("-"): it runs on this machine, and elsewhere only after the person has allowed it.
set -euo pipefail
cd "$(dirname "$0")/../.."
version="${1:?the version}"
identity="${SIGN_IDENTITY:--}"
app=dist/Lamplight.app
image="dist/Lamplight-$version.dmg"
entitlements=packaging/macos/entitlements.plist
options=(--force --sign "$identity")
if [ "$identity" != "-" ]; then
    options+=(--timestamp --options runtime)
fi

# From the inside out: a bundle's signature covers those of what it holds.
find "$app/Contents" -type f \( -name '*.dylib' -o -name '*.so' \) -print0 | xargs -0 codesign "${options[@]}"
find "$app/Contents/Frameworks" -type d -name '*.framework' -print0 | xargs -0 -I{} codesign "${options[@]}" {}
codesign "${options[@]}" --entitlements "$entitlements" "$app"
codesign --verify --deep --strict "$app"

# ditto keeps the symbolic links of Qt's frameworks; copied without them they do not pass notarisation.
stage="$(mktemp -d)"
trap 'rm -rf "$stage"' EXIT
ditto "$app" "$stage/Lamplight.app"
ln -s /Applications "$stage/Applications"
rm -f "$image"
hdiutil create -volname Lamplight -srcfolder "$stage" -fs HFS+ -format UDZO "$image"
if [ "$identity" != "-" ]; then
    codesign --sign "$identity" --timestamp "$image"
fi
