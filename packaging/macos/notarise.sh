#!/usr/bin/env bash
# Has Apple examine a signed disk image and fixes the answer to it: notarise.sh IMAGE
#
# Needs a profile that was stored once with `xcrun notarytool store-credentials lamplight`, or NOTARY_PROFILE's name.
set -euo pipefail
image="${1:?the disk image}"
xcrun notarytool submit "$image" --keychain-profile "${NOTARY_PROFILE:-lamplight}" --wait
xcrun stapler staple "$image"
spctl --assess --type open --context context:primary-signature --verbose "$image"
