; The installer for one person: no administrator, nothing outside the person's own folders and registry.
;
;   makensis -WX -DVERSION=0.1.0 -DFOLDER=dist\lamplight -DICON=resources\icons\lamplight.ico -DOUTPUT=lamplight-setup.exe
;       packaging\windows\lamplight.nsi
;
; Silent: lamplight-setup.exe /S [/D=C:\folder], and uninstall.exe /S. What a person made with Lamplight (indexes,
; settings) is never removed.

Unicode true
!ifndef VERSION | FOLDER | ICON | OUTPUT
  !error "VERSION, FOLDER, ICON and OUTPUT must be given"
!endif
!define UNINSTALL "Software\Microsoft\Windows\CurrentVersion\Uninstall\Lamplight"
!define RUN "Software\Microsoft\Windows\CurrentVersion\Run"
!define PROTOCOL "Software\Classes\lamplight"

!include MUI2.nsh
!include FileFunc.nsh

Name "Lamplight"
OutFile "${OUTPUT}"
RequestExecutionLevel user
InstallDir "$LOCALAPPDATA\Programs\Lamplight"
InstallDirRegKey HKCU "${UNINSTALL}" "InstallLocation"
SetCompressor /SOLID lzma
BrandingText "Lamplight ${VERSION}"
VIProductVersion "${VERSION}.0"
VIAddVersionKey ProductName "Lamplight"
VIAddVersionKey FileDescription "Lamplight installer"
VIAddVersionKey FileVersion "${VERSION}"
VIAddVersionKey ProductVersion "${VERSION}"
VIAddVersionKey LegalCopyright "The Lamplight authors, MIT licence"

!define MUI_ICON "${ICON}"
!define MUI_UNICON "${ICON}"
!define MUI_FINISHPAGE_RUN "$INSTDIR\lamplight-window.exe"
!insertmacro MUI_PAGE_WELCOME
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_COMPONENTS
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"
!insertmacro MUI_LANGUAGE "German"

LangString TextRunning ${LANG_ENGLISH} "Lamplight is running. Quit it, then try again."
LangString TextRunning ${LANG_GERMAN} "Lamplight läuft. Beende es und versuche es noch einmal."
LangString TextForeign ${LANG_ENGLISH} "The folder holds other files. Choose an empty one."
LangString TextForeign ${LANG_GERMAN} "Der Ordner enthält andere Dateien. Wähle einen leeren."
LangString TextProgram ${LANG_ENGLISH} "Lamplight"
LangString TextProgram ${LANG_GERMAN} "Lamplight"
LangString TextLogin ${LANG_ENGLISH} "Start when I log in"
LangString TextLogin ${LANG_GERMAN} "Beim Anmelden starten"

; A program that runs cannot be written: said before anything is changed.
!macro StopIfRunning
  ClearErrors
  IfFileExists "$INSTDIR\lamplight-window.exe" 0 +6
  FileOpen $0 "$INSTDIR\lamplight-window.exe" a
  IfErrors 0 +3
  MessageBox MB_OK|MB_ICONEXCLAMATION "$(TextRunning)" /SD IDOK
  Abort
  FileClose $0
!macroend

Section "$(TextProgram)" SectionProgram
  SectionIn RO
  ; A folder of something else is left alone; an older Lamplight is replaced as a whole.
  IfFileExists "$INSTDIR\lamplight-window.exe" replace
  IfFileExists "$INSTDIR\*.*" 0 install
  ${DirState} "$INSTDIR" $0
  IntCmp $0 1 0 install install
  MessageBox MB_OK|MB_ICONSTOP "$(TextForeign)" /SD IDOK
  Abort
replace:
  !insertmacro StopIfRunning
  RMDir /r "$INSTDIR\_internal"
install:
  SetOutPath "$INSTDIR"
  File /r "${FOLDER}\*.*"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  CreateShortcut "$SMPROGRAMS\Lamplight.lnk" "$INSTDIR\lamplight-window.exe"

  WriteRegStr HKCU "${PROTOCOL}" "" "URL:Lamplight"
  WriteRegStr HKCU "${PROTOCOL}" "URL Protocol" ""
  WriteRegStr HKCU "${PROTOCOL}\DefaultIcon" "" "$INSTDIR\lamplight-window.exe,0"
  WriteRegStr HKCU "${PROTOCOL}\shell\open\command" "" '"$INSTDIR\lamplight-window.exe" "%1"'

  WriteRegStr HKCU "${UNINSTALL}" "DisplayName" "Lamplight"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayIcon" "$INSTDIR\lamplight-window.exe"
  WriteRegStr HKCU "${UNINSTALL}" "Publisher" "The Lamplight authors"
  WriteRegStr HKCU "${UNINSTALL}" "URLInfoAbout" "https://github.com/lamplight-app/lamplight"
  WriteRegStr HKCU "${UNINSTALL}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKCU "${UNINSTALL}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
  WriteRegDWORD HKCU "${UNINSTALL}" "NoModify" 1
  WriteRegDWORD HKCU "${UNINSTALL}" "NoRepair" 1
  ${GetSize} "$INSTDIR" "/S=0K" $0 $1 $2
  WriteRegDWORD HKCU "${UNINSTALL}" "EstimatedSize" $0
SectionEnd

; Off unless chosen.
Section /o "$(TextLogin)" SectionLogin
  WriteRegStr HKCU "${RUN}" "Lamplight" '"$INSTDIR\lamplight-window.exe"'
SectionEnd

Section "Uninstall"
  IfFileExists "$INSTDIR\lamplight-window.exe" +2
  Abort
  !insertmacro StopIfRunning
  ; Only what was installed, so that a file that a person put there stays.
  RMDir /r "$INSTDIR\_internal"
  Delete "$INSTDIR\lamplight.exe"
  Delete "$INSTDIR\lamplight-window.exe"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
  Delete "$SMPROGRAMS\Lamplight.lnk"
  DeleteRegKey HKCU "${PROTOCOL}"
  DeleteRegKey HKCU "${UNINSTALL}"
  DeleteRegValue HKCU "${RUN}" "Lamplight"
SectionEnd
