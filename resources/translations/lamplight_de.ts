<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
 <context>
  <name>Lamplight</name>
  <message>
   <source>/</source>
   <translation>/</translation>
  </message>
  <message>
   <source>1 step around</source>
   <translation>1 Schritt im Umkreis</translation>
  </message>
  <message>
   <source>A graph that cannot be refreshed within it is searched as it was read last.</source>
   <translation>Ein Graph, der so schnell nicht aufgefrischt werden kann, wird so durchsucht, wie er zuletzt gelesen wurde.</translation>
  </message>
  <message>
   <source>A key in the system's keychain</source>
   <translation>Ein Schlüssel im Schlüsselbund des Systems</translation>
  </message>
  <message>
   <source>A key that lasts until Lamplight ends</source>
   <translation>Ein Schlüssel, der bis zum Ende von Lamplight gilt</translation>
  </message>
  <message>
   <source>A made-up vault and graph in three languages, to try everything with</source>
   <translation>Ein erfundener Vault und Graph in drei Sprachen, um alles auszuprobieren</translation>
  </message>
  <message>
   <source>A passphrase</source>
   <translation>Eine Passphrase</translation>
  </message>
  <message>
   <source>About</source>
   <translation>Über</translation>
  </message>
  <message>
   <source>About Lamplight</source>
   <translation>Über Lamplight</translation>
  </message>
  <message>
   <source>About the graph</source>
   <translation>Über den Graphen</translation>
  </message>
  <message>
   <source>About this graph</source>
   <translation>Über diesen Graphen</translation>
  </message>
  <message>
   <source>About this note</source>
   <translation>Über diese Notiz</translation>
  </message>
  <message>
   <source>Accept (A)</source>
   <translation>Annehmen (A)</translation>
  </message>
  <message>
   <source>Actions</source>
   <translation>Aktionen</translation>
  </message>
  <message>
   <source>Activity</source>
   <translation>Aktivität</translation>
  </message>
  <message>
   <source>Add a source</source>
   <translation>Quelle hinzufügen</translation>
  </message>
  <message>
   <source>Add a source…</source>
   <translation>Quelle hinzufügen …</translation>
  </message>
  <message>
   <source>Add its neighbours to the map</source>
   <translation>Nachbarn auf die Karte nehmen</translation>
  </message>
  <message>
   <source>Add sources</source>
   <translation>Quellen hinzufügen</translation>
  </message>
  <message>
   <source>Address on this machine</source>
   <translation>Adresse auf diesem Gerät</translation>
  </message>
  <message>
   <source>All</source>
   <translation>Alle</translation>
  </message>
  <message>
   <source>All ({n})</source>
   <translation>Alle ({n})</translation>
  </message>
  <message>
   <source>All commands</source>
   <translation>Alle Befehle</translation>
  </message>
  <message>
   <source>All commands…</source>
   <translation>Alle Befehle …</translation>
  </message>
  <message>
   <source>All sources</source>
   <translation>Alle Quellen</translation>
  </message>
  <message>
   <source>All types</source>
   <translation>Alle Arten</translation>
  </message>
  <message>
   <source>Also called {names}</source>
   <translation>Auch {names} genannt</translation>
  </message>
  <message>
   <source>Another model means that every note is read anew.</source>
   <translation>Ein anderes Modell heißt, dass jede Notiz neu gelesen wird.</translation>
  </message>
  <message>
   <source>Another program has {keys} already. Choose others in the settings.</source>
   <translation>Ein anderes Programm hat {keys} schon. Wählen Sie andere Tasten in den Einstellungen.</translation>
  </message>
  <message>
   <source>Answer</source>
   <translation>Antwort</translation>
  </message>
  <message>
   <source>Any time</source>
   <translation>Jederzeit</translation>
  </message>
  <message>
   <source>Appearance</source>
   <translation>Aussehen</translation>
  </message>
  <message>
   <source>Are these one thing? {names}</source>
   <translation>Ist das ein und dasselbe? {names}</translation>
  </message>
  <message>
   <source>Arrow keys</source>
   <translation>Pfeiltasten</translation>
  </message>
  <message>
   <source>As at first</source>
   <translation>Wie am Anfang</translation>
  </message>
  <message>
   <source>As ever</source>
   <translation>Wie immer</translation>
  </message>
  <message>
   <source>As one</source>
   <translation>Zusammen</translation>
  </message>
  <message>
   <source>As soon as they change</source>
   <translation>Sobald sie sich ändern</translation>
  </message>
  <message>
   <source>As the system</source>
   <translation>Wie das System</translation>
  </message>
  <message>
   <source>Ask</source>
   <translation>Fragen</translation>
  </message>
  <message>
   <source>Ask Roam</source>
   <translation>Roam fragen</translation>
  </message>
  <message>
   <source>Ask before removing more than this part of a source at once</source>
   <translation>Nachfragen, bevor mehr als dieser Teil einer Quelle auf einmal entfernt wird</translation>
  </message>
  <message>
   <source>Ask in your own words. The answer is made of what your notes say, with a number behind every sentence that opens the block it comes from. What your notes do not say is not answered.</source>
   <translation>Fragen Sie in eigenen Worten. Die Antwort besteht aus dem, was Ihre Notizen sagen; hinter jedem Satz öffnet eine Nummer den Block, aus dem er stammt. Was Ihre Notizen nicht sagen, wird nicht beantwortet.</translation>
  </message>
  <message>
   <source>Ask me</source>
   <translation>Fragen</translation>
  </message>
  <message>
   <source>Ask your notes…</source>
   <translation>Fragen Sie Ihre Notizen …</translation>
  </message>
  <message>
   <source>Asking the keychain…</source>
   <translation>Der Schlüsselbund wird gefragt…</translation>
  </message>
  <message>
   <source>Asking the server for its models…</source>
   <translation>Der Server wird nach seinen Modellen gefragt…</translation>
  </message>
  <message>
   <source>At most</source>
   <translation>Höchstens</translation>
  </message>
  <message>
   <source>At most so many on the map</source>
   <translation>Höchstens so viele auf der Karte</translation>
  </message>
  <message>
   <source>Back among what waits.</source>
   <translation>Wieder bei dem, was wartet.</translation>
  </message>
  <message>
   <source>Back on the map (Backspace)</source>
   <translation>Zurück auf der Karte (Rücktaste)</translation>
  </message>
  <message>
   <source>Back to the note before</source>
   <translation>Zurück zur vorigen Notiz</translation>
  </message>
  <message>
   <source>Back to the results</source>
   <translation>Zurück zu den Treffern</translation>
  </message>
  <message>
   <source>Back to the search box; there: clear it</source>
   <translation>Zurück ins Suchfeld; dort: leeren</translation>
  </message>
  <message>
   <source>Before every search</source>
   <translation>Vor jeder Suche</translation>
  </message>
  <message>
   <source>Behind by {n} note: index now</source>
   <translation>{n} Notiz im Rückstand: jetzt indizieren</translation>
  </message>
  <message>
   <source>Behind by {n} notes: index now</source>
   <translation>{n} Notizen im Rückstand: jetzt indizieren</translation>
  </message>
  <message>
   <source>Belongs with</source>
   <translation>Gehört zu</translation>
  </message>
  <message>
   <source>Belongs with {names}</source>
   <translation>Gehört zu {names}</translation>
  </message>
  <message>
   <source>Best connected</source>
   <translation>Am besten verbunden</translation>
  </message>
  <message>
   <source>Best first</source>
   <translation>Beste zuerst</translation>
  </message>
  <message>
   <source>Bring back (L)</source>
   <translation>Zurückholen (L)</translation>
  </message>
  <message>
   <source>Bring up to date</source>
   <translation>Auf den Stand bringen</translation>
  </message>
  <message>
   <source>By a key in the system's keychain, by a passphrase, by a key that lasts until Lamplight ends, or not at all. “lamplight protect” changes the files that are there.</source>
   <translation>Durch einen Schlüssel im Schlüsselbund des Systems, durch eine Passphrase, durch einen Schlüssel, der bis zum Ende von Lamplight gilt, oder gar nicht. „lamplight protect“ ändert die vorhandenen Dateien.</translation>
  </message>
  <message>
   <source>By how far each can be trusted</source>
   <translation>Nach ihrer Verlässlichkeit</translation>
  </message>
  <message>
   <source>By meaning and by word, in your Obsidian vaults and Roam graphs. Everything stays on this machine.</source>
   <translation>Nach Bedeutung und Wort, in Obsidian-Vaults und Roam-Graphen. Alles bleibt auf diesem Rechner.</translation>
  </message>
  <message>
   <source>By rank alone</source>
   <translation>Nur nach Rang</translation>
  </message>
  <message>
   <source>By relation</source>
   <translation>Nach Beziehung</translation>
  </message>
  <message>
   <source>By time</source>
   <translation>Nach Zeit</translation>
  </message>
  <message>
   <source>By title, A to Z</source>
   <translation>Nach Titel, A bis Z</translation>
  </message>
  <message>
   <source>By title, Z to A</source>
   <translation>Nach Titel, Z bis A</translation>
  </message>
  <message>
   <source>By {leg}: rank {rank}, {share} % of the score</source>
   <translation>Nach {leg}: Rang {rank}, {share} % der Wertung</translation>
  </message>
  <message>
   <source>Cancel</source>
   <translation>Abbrechen</translation>
  </message>
  <message>
   <source>Cancel indexing</source>
   <translation>Indizieren abbrechen</translation>
  </message>
  <message>
   <source>Changed</source>
   <translation>Geändert</translation>
  </message>
  <message>
   <source>Changed notes: {why}</source>
   <translation>Geänderte Notizen: {why}</translation>
  </message>
  <message>
   <source>Changed this week</source>
   <translation>Diese Woche geändert</translation>
  </message>
  <message>
   <source>Check for updates</source>
   <translation>Nach Aktualisierungen suchen</translation>
  </message>
  <message>
   <source>Choose Roam exports</source>
   <translation>Roam-Exporte wählen</translation>
  </message>
  <message>
   <source>Choose a folder…</source>
   <translation>Ordner wählen …</translation>
  </message>
  <message>
   <source>Choose a passphrase</source>
   <translation>Passphrase festlegen</translation>
  </message>
  <message>
   <source>Choose a structure on the map, or find an entity by its name.</source>
   <translation>Wählen Sie ein Gebäude auf der Karte, oder finden Sie eine Entität über ihren Namen.</translation>
  </message>
  <message>
   <source>Choose a vault's folder</source>
   <translation>Ordner eines Vaults wählen</translation>
  </message>
  <message>
   <source>Choose an export…</source>
   <translation>Export wählen …</translation>
  </message>
  <message>
   <source>Choose it</source>
   <translation>Festlegen</translation>
  </message>
  <message>
   <source>Choose two entities.</source>
   <translation>Wählen Sie zwei Entitäten.</translation>
  </message>
  <message>
   <source>Choose…</source>
   <translation>Auswählen …</translation>
  </message>
  <message>
   <source>Choosing one searches in it alone; choosing it again searches in all.</source>
   <translation>Die gewählte wird allein durchsucht; noch einmal gewählt, werden alle durchsucht.</translation>
  </message>
  <message>
   <source>Citation {n}</source>
   <translation>Beleg {n}</translation>
  </message>
  <message>
   <source>Citations</source>
   <translation>Belege</translation>
  </message>
  <message>
   <source>Claims of the model that were not taken</source>
   <translation>Aussagen des Modells, die nicht übernommen wurden</translation>
  </message>
  <message>
   <source>Clear filters</source>
   <translation>Filter löschen</translation>
  </message>
  <message>
   <source>Clear the search</source>
   <translation>Suche leeren</translation>
  </message>
  <message>
   <source>Close</source>
   <translation>Schließen</translation>
  </message>
  <message>
   <source>Close the window</source>
   <translation>Fenster schließen</translation>
  </message>
  <message>
   <source>Collecting…</source>
   <translation>Wird gesammelt…</translation>
  </message>
  <message>
   <source>Collections</source>
   <translation>Sammlungen</translation>
  </message>
  <message>
   <source>Colours</source>
   <translation>Farben</translation>
  </message>
  <message>
   <source>Command</source>
   <translation>Befehl</translation>
  </message>
  <message>
   <source>Commands</source>
   <translation>Befehle</translation>
  </message>
  <message>
   <source>Communities</source>
   <translation>Gemeinschaften</translation>
  </message>
  <message>
   <source>Connections</source>
   <translation>Verbindungen</translation>
  </message>
  <message>
   <source>Copied {link}: paste it into {note}.</source>
   <translation>{link} ist kopiert: In {note} einfügen.</translation>
  </message>
  <message>
   <source>Copy</source>
   <translation>Kopieren</translation>
  </message>
  <message>
   <source>Copy as CSV</source>
   <translation>Als CSV kopieren</translation>
  </message>
  <message>
   <source>Copy as JSON</source>
   <translation>Als JSON kopieren</translation>
  </message>
  <message>
   <source>Copy as Markdown</source>
   <translation>Als Markdown kopieren</translation>
  </message>
  <message>
   <source>Copy link</source>
   <translation>Link kopieren</translation>
  </message>
  <message>
   <source>Copy link (A)</source>
   <translation>Link kopieren (A)</translation>
  </message>
  <message>
   <source>Copy text</source>
   <translation>Text kopieren</translation>
  </message>
  <message>
   <source>Counting…</source>
   <translation>Wird gezählt …</translation>
  </message>
  <message>
   <source>Coverage</source>
   <translation>Abdeckung</translation>
  </message>
  <message>
   <source>Ctrl+Home, Ctrl+End</source>
   <translation>Strg+Pos1, Strg+Ende</translation>
  </message>
  <message>
   <source>Daily notes</source>
   <translation>Tagesnotizen</translation>
  </message>
  <message>
   <source>Daily notes ({n})</source>
   <translation>Tagesnotizen ({n})</translation>
  </message>
  <message>
   <source>Daily notes stand together as one</source>
   <translation>Tagesnotizen stehen zusammen als eine</translation>
  </message>
  <message>
   <source>Dark</source>
   <translation>Dunkel</translation>
  </message>
  <message>
   <source>Dashed outline: inferred by a model</source>
   <translation>Gestrichelter Umriss: von einem Modell erschlossen</translation>
  </message>
  <message>
   <source>Data folder</source>
   <translation>Datenordner</translation>
  </message>
  <message>
   <source>Decided by you ({n})</source>
   <translation>Von dir entschieden ({n})</translation>
  </message>
  <message>
   <source>Decided. It can be undone under Review.</source>
   <translation>Entschieden. Unter Prüfen lässt es sich zurücknehmen.</translation>
  </message>
  <message>
   <source>Decide…</source>
   <translation>Entscheiden …</translation>
  </message>
  <message>
   <source>Delete the files of {name} from this machine?</source>
   <translation>Die Dateien von {name} von diesem Rechner löschen?</translation>
  </message>
  <message>
   <source>Deleted from this machine: its index with {n} passage, and what language models answered about it.</source>
   <translation>Von diesem Rechner gelöscht: der Index mit {n} Abschnitt und was Sprachmodelle dazu geantwortet haben.</translation>
  </message>
  <message>
   <source>Deleted from this machine: its index with {n} passages, and what language models answered about it.</source>
   <translation>Von diesem Rechner gelöscht: der Index mit {n} Abschnitten und was Sprachmodelle dazu geantwortet haben.</translation>
  </message>
  <message>
   <source>Demo notes</source>
   <translation>Beispielnotizen</translation>
  </message>
  <message>
   <source>Detail</source>
   <translation>Einzelheiten</translation>
  </message>
  <message>
   <source>Details</source>
   <translation>Details</translation>
  </message>
  <message>
   <source>Deutsch</source>
   <translation>Deutsch</translation>
  </message>
  <message>
   <source>Diagnostics</source>
   <translation>Diagnose</translation>
  </message>
  <message>
   <source>Dismiss this message</source>
   <translation>Meldung schließen</translation>
  </message>
  <message>
   <source>Done.</source>
   <translation>Fertig.</translation>
  </message>
  <message>
   <source>Download</source>
   <translation>Herunterladen</translation>
  </message>
  <message>
   <source>Download a model</source>
   <translation>Ein Modell herunterladen</translation>
  </message>
  <message>
   <source>Download {name} ({size})?</source>
   <translation>{name} ({size}) herunterladen?</translation>
  </message>
  <message>
   <source>Downloading {name}</source>
   <translation>{name} wird heruntergeladen</translation>
  </message>
  <message>
   <source>Download…</source>
   <translation>Herunterladen…</translation>
  </message>
  <message>
   <source>Drop to add {n} source</source>
   <translation>Ablegen, um {n} Quelle hinzuzufügen</translation>
  </message>
  <message>
   <source>Drop to add {n} sources</source>
   <translation>Ablegen, um {n} Quellen hinzuzufügen</translation>
  </message>
  <message>
   <source>Earlier search</source>
   <translation>Frühere Suche</translation>
  </message>
  <message>
   <source>Embedding models</source>
   <translation>Einbettungsmodelle</translation>
  </message>
  <message>
   <source>English</source>
   <translation>English</translation>
  </message>
  <message>
   <source>Enter</source>
   <translation>Eingabe</translation>
  </message>
  <message>
   <source>Enter adds it, Delete hides it.</source>
   <translation>Eingabe fügt es hinzu, Entf blendet es aus.</translation>
  </message>
  <message>
   <source>Enter opens it in its own app · Ctrl+Enter searches in the window · Ctrl+1 to 9 opens a row · Ctrl+C copies the link · Ctrl+Space shows the note · Esc clears, then leaves</source>
   <translation>Eingabe öffnet in der eigenen App · Strg+Eingabe sucht im Fenster · Strg+1 bis 9 öffnet eine Zeile · Strg+C kopiert den Link · Strg+Leertaste zeigt die Notiz · Esc leert, dann schließt es</translation>
  </message>
  <message>
   <source>Enter passphrase…</source>
   <translation>Passphrase eingeben …</translation>
  </message>
  <message>
   <source>Enter searches again, Delete forgets it.</source>
   <translation>Enter sucht erneut, Entf vergisst sie.</translation>
  </message>
  <message>
   <source>Enter searches in one alone; a second time in all.</source>
   <translation>Eingabe sucht nur darin; noch einmal: in allem.</translation>
  </message>
  <message>
   <source>Enter shows the neighbourhood of an entity on the map.</source>
   <translation>Enter zeigt die Nachbarschaft einer Entität auf der Karte.</translation>
  </message>
  <message>
   <source>Enter…</source>
   <translation>Eingeben …</translation>
  </message>
  <message>
   <source>Entities</source>
   <translation>Entitäten</translation>
  </message>
  <message>
   <source>Esc</source>
   <translation>Esc</translation>
  </message>
  <message>
   <source>Estimate</source>
   <translation>Schätzen</translation>
  </message>
  <message>
   <source>Every connection, newest first. Addresses of notes, tokens and texts are never kept.</source>
   <translation>Jede Verbindung, die neueste zuerst. Adressen von Notizen, Token und Texte werden nie aufgezeichnet.</translation>
  </message>
  <message>
   <source>Export</source>
   <translation>Exportieren</translation>
  </message>
  <message>
   <source>Extract</source>
   <translation>Auslesen</translation>
  </message>
  <message>
   <source>File</source>
   <translation>Datei</translation>
  </message>
  <message>
   <source>Filtered by</source>
   <translation>Gefiltert nach</translation>
  </message>
  <message>
   <source>Filters</source>
   <translation>Filter</translation>
  </message>
  <message>
   <source>Filters ({n})</source>
   <translation>Filter ({n})</translation>
  </message>
  <message>
   <source>Find a command</source>
   <translation>Befehl suchen</translation>
  </message>
  <message>
   <source>Find an entity…</source>
   <translation>Entität finden …</translation>
  </message>
  <message>
   <source>Find anything you have written</source>
   <translation>Alles finden, was Sie geschrieben haben</translation>
  </message>
  <message>
   <source>Finds anything you have written, by meaning and by word.</source>
   <translation>Findet alles, was Sie geschrieben haben, nach Bedeutung und Wort.</translation>
  </message>
  <message>
   <source>First and last result</source>
   <translation>Erster und letzter Treffer</translation>
  </message>
  <message>
   <source>Fit</source>
   <translation>Einpassen</translation>
  </message>
  <message>
   <source>Flat</source>
   <translation>Flach</translation>
  </message>
  <message>
   <source>Folder</source>
   <translation>Ordner</translation>
  </message>
  <message>
   <source>Folder with model.onnx and tokenizer.json</source>
   <translation>Ordner mit model.onnx und tokenizer.json</translation>
  </message>
  <message>
   <source>Folders</source>
   <translation>Ordner</translation>
  </message>
  <message>
   <source>Folders, pages and tags</source>
   <translation>Ordner, Seiten und Tags</translation>
  </message>
  <message>
   <source>For example Ctrl+Alt+Space. Where the system allows none, bind the command “lamplight quick” in its own settings.</source>
   <translation>Zum Beispiel Strg+Alt+Leertaste. Wo das System keine zulässt, binden Sie den Befehl „lamplight quick“ in dessen eigenen Einstellungen.</translation>
  </message>
  <message>
   <source>For sources whose model is one of Ollama's.</source>
   <translation>Für Quellen, deren Modell eines von Ollama ist.</translation>
  </message>
  <message>
   <source>Forget</source>
   <translation>Vergessen</translation>
  </message>
  <message>
   <source>Forget earlier searches</source>
   <translation>Frühere Suchen vergessen</translation>
  </message>
  <message>
   <source>Forward again</source>
   <translation>Wieder vor</translation>
  </message>
  <message>
   <source>Found on this machine</source>
   <translation>Auf diesem Rechner gefunden</translation>
  </message>
  <message>
   <source>From the notes' own sentences, without a model</source>
   <translation>Aus den eigenen Sätzen der Notizen, ohne Modell</translation>
  </message>
  <message>
   <source>From: {hosts}</source>
   <translation>Von: {hosts}</translation>
  </message>
  <message>
   <source>From…</source>
   <translation>Von …</translation>
  </message>
  <message>
   <source>Go on</source>
   <translation>Weiter</translation>
  </message>
  <message>
   <source>Go on indexing</source>
   <translation>Indizieren fortsetzen</translation>
  </message>
  <message>
   <source>Go to the search box</source>
   <translation>Zum Suchfeld</translation>
  </message>
  <message>
   <source>Go to the search box from anywhere but a text field</source>
   <translation>Zum Suchfeld, außer aus einem Textfeld</translation>
  </message>
  <message>
   <source>Graph of connections</source>
   <translation>Graph der Verbindungen</translation>
  </message>
  <message>
   <source>Group by date</source>
   <translation>Nach Datum gruppieren</translation>
  </message>
  <message>
   <source>Group by folder</source>
   <translation>Nach Ordner gruppieren</translation>
  </message>
  <message>
   <source>Group by source</source>
   <translation>Nach Quelle gruppieren</translation>
  </message>
  <message>
   <source>Help</source>
   <translation>Hilfe</translation>
  </message>
  <message>
   <source>Hidden</source>
   <translation>Verborgen</translation>
  </message>
  <message>
   <source>Hide it on the map</source>
   <translation>Auf der Karte verbergen</translation>
  </message>
  <message>
   <source>Hide what was found</source>
   <translation>Gefundenes ausblenden</translation>
  </message>
  <message>
   <source>Higher: more relations; in the flat map, larger</source>
   <translation>Höher: mehr Beziehungen; auf der flachen Karte größer</translation>
  </message>
  <message>
   <source>Highlights: {n}</source>
   <translation>Fundstellen: {n}</translation>
  </message>
  <message>
   <source>Host</source>
   <translation>Server</translation>
  </message>
  <message>
   <source>How new index files are protected</source>
   <translation>Wie neue Indexdateien geschützt werden</translation>
  </message>
  <message>
   <source>How the two rankings are joined</source>
   <translation>Wie die beiden Ranglisten verbunden werden</translation>
  </message>
  <message>
   <source>How to read the map</source>
   <translation>Wie man die Karte liest</translation>
  </message>
  <message>
   <source>I agree that this text is sent</source>
   <translation>Ich bin einverstanden, dass dieser Text gesendet wird</translation>
  </message>
  <message>
   <source>If the folder is only not connected or not synchronised yet, keep them and index later.</source>
   <translation>Ist der Ordner nur nicht verbunden oder noch nicht abgeglichen, behalten Sie sie und indizieren Sie später.</translation>
  </message>
  <message>
   <source>Import a folder…</source>
   <translation>Ordner importieren…</translation>
  </message>
  <message>
   <source>Import a model</source>
   <translation>Ein Modell importieren</translation>
  </message>
  <message>
   <source>Importing {name}</source>
   <translation>{name} wird importiert</translation>
  </message>
  <message>
   <source>Include daily notes</source>
   <translation>Tagesnotizen einbeziehen</translation>
  </message>
  <message>
   <source>Index all sources</source>
   <translation>Alle Quellen indizieren</translation>
  </message>
  <message>
   <source>Index by itself only while nobody uses the machine</source>
   <translation>Nur von selbst indizieren, solange niemand am Rechner arbeitet</translation>
  </message>
  <message>
   <source>Index files that are made from the next start on are encrypted with it. Lamplight asks for it when it starts. If you forget it, they can only be made anew.</source>
   <translation>Indexdateien, die ab dem nächsten Start entstehen, werden damit verschlüsselt. Lamplight fragt beim Start danach. Wenn Sie die Passphrase vergessen, können die Dateien nur neu angelegt werden.</translation>
  </message>
  <message>
   <source>Index this source</source>
   <translation>Diese Quelle indizieren</translation>
  </message>
  <message>
   <source>Index: {place}</source>
   <translation>Index: {place}</translation>
  </message>
  <message>
   <source>Indexing</source>
   <translation>Indizieren</translation>
  </message>
  <message>
   <source>Indexing by itself while on battery</source>
   <translation>Von selbst indizieren im Akkubetrieb</translation>
  </message>
  <message>
   <source>Indexing {name}</source>
   <translation>{name} wird indiziert</translation>
  </message>
  <message>
   <source>Inferred</source>
   <translation>Erschlossen</translation>
  </message>
  <message>
   <source>Is Obsidian or the Roam app installed?</source>
   <translation>Ist Obsidian oder die Roam-App installiert?</translation>
  </message>
  <message>
   <source>It begins when keyboard and mouse have rested for a minute, and pauses when you come back.</source>
   <translation>Es beginnt, wenn Tastatur und Maus eine Minute geruht haben, und pausiert, wenn Sie zurückkommen.</translation>
  </message>
  <message>
   <source>It could not be saved: {why}</source>
   <translation>Es konnte nicht gespeichert werden: {why}</translation>
  </message>
  <message>
   <source>It holds the indexes and what you decided. Set LAMPLIGHT_HOME to keep it elsewhere.</source>
   <translation>Er enthält die Indexe und Ihre Entscheidungen. Mit LAMPLIGHT_HOME liegt er woanders.</translation>
  </message>
  <message>
   <source>It is the same as…</source>
   <translation>Es ist dasselbe wie …</translation>
  </message>
  <message>
   <source>It meets the conditions of the search.</source>
   <translation>Es erfüllt die Bedingungen der Suche.</translation>
  </message>
  <message>
   <source>It says ({n})</source>
   <translation>Es sagt ({n})</translation>
  </message>
  <message>
   <source>Keep</source>
   <translation>Behalten</translation>
  </message>
  <message>
   <source>Keep Lamplight in the tray?</source>
   <translation>Lamplight im Infobereich weiterlaufen lassen?</translation>
  </message>
  <message>
   <source>Keep it running</source>
   <translation>Weiterlaufen lassen</translation>
  </message>
  <message>
   <source>Keep running in the tray</source>
   <translation>Im Infobereich weiterlaufen</translation>
  </message>
  <message>
   <source>Keep the key</source>
   <translation>Schlüssel behalten</translation>
  </message>
  <message>
   <source>Keep them</source>
   <translation>Behalten</translation>
  </message>
  <message>
   <source>Keep this view</source>
   <translation>Ansicht behalten</translation>
  </message>
  <message>
   <source>Keep this view…</source>
   <translation>Diese Ansicht behalten…</translation>
  </message>
  <message>
   <source>Keep what the map shows under a name, and come back to it</source>
   <translation>Was die Karte zeigt unter einem Namen behalten und darauf zurückkommen</translation>
  </message>
  <message>
   <source>Kept in the system's keychain; never shown.</source>
   <translation>Liegt im Schlüsselbund des Systems; wird nie angezeigt.</translation>
  </message>
  <message>
   <source>Key for OpenRouter</source>
   <translation>Schlüssel für OpenRouter</translation>
  </message>
  <message>
   <source>Key of the index files</source>
   <translation>Schlüssel der Indexdateien</translation>
  </message>
  <message>
   <source>Keyboard</source>
   <translation>Tastatur</translation>
  </message>
  <message>
   <source>Keyboard keys</source>
   <translation>Tasten</translation>
  </message>
  <message>
   <source>Keychain</source>
   <translation>Schlüsselbund</translation>
  </message>
  <message>
   <source>Keys</source>
   <translation>Tasten</translation>
  </message>
  <message>
   <source>Keys count as soon as they are chosen.</source>
   <translation>Tasten gelten, sobald sie gewählt sind.</translation>
  </message>
  <message>
   <source>Keys of every command</source>
   <translation>Tasten aller Befehle</translation>
  </message>
  <message>
   <source>Keys on the map</source>
   <translation>Tasten auf der Karte</translation>
  </message>
  <message>
   <source>Keys that show quick search from anywhere</source>
   <translation>Tasten, die die Schnellsuche von überall zeigen</translation>
  </message>
  <message>
   <source>Lamplight has made no connection yet.</source>
   <translation>Lamplight hat noch keine Verbindung hergestellt.</translation>
  </message>
  <message>
   <source>Lamplight takes folders of notes, and Roam exports as .json, .edn or .zip.</source>
   <translation>Lamplight nimmt Ordner mit Notizen und Roam-Exporte als .json, .edn oder .zip.</translation>
  </message>
  <message>
   <source>Lamplight {version} is there.</source>
   <translation>Lamplight {version} ist da.</translation>
  </message>
  <message>
   <source>Language</source>
   <translation>Sprache</translation>
  </message>
  <message>
   <source>Languages</source>
   <translation>Sprachen</translation>
  </message>
  <message>
   <source>Last changed first</source>
   <translation>Zuletzt geänderte zuerst</translation>
  </message>
  <message>
   <source>Last month</source>
   <translation>Letzter Monat</translation>
  </message>
  <message>
   <source>Last three months</source>
   <translation>Letzte drei Monate</translation>
  </message>
  <message>
   <source>Last week</source>
   <translation>Letzte Woche</translation>
  </message>
  <message>
   <source>Last year</source>
   <translation>Letztes Jahr</translation>
  </message>
  <message>
   <source>Later (L)</source>
   <translation>Später (L)</translation>
  </message>
  <message>
   <source>Later search</source>
   <translation>Spätere Suche</translation>
  </message>
  <message>
   <source>Leave out notes that fit one of these</source>
   <translation>Notizen auslassen, auf die eines davon passt</translation>
  </message>
  <message>
   <source>Left out: {names}</source>
   <translation>Ausgelassen: {names}</translation>
  </message>
  <message>
   <source>Less often</source>
   <translation>Seltener</translation>
  </message>
  <message>
   <source>Less often: changed notes are gathered and indexed every ten minutes. What you ask for yourself always runs.</source>
   <translation>Seltener: geänderte Notizen werden gesammelt und alle zehn Minuten indiziert. Was Sie selbst verlangen, läuft immer.</translation>
  </message>
  <message>
   <source>Let a model read your notes</source>
   <translation>Ein Modell die Notizen lesen lassen</translation>
  </message>
  <message>
   <source>Licence</source>
   <translation>Lizenz</translation>
  </message>
  <message>
   <source>Licence: {licence}</source>
   <translation>Lizenz: {licence}</translation>
  </message>
  <message>
   <source>Light</source>
   <translation>Hell</translation>
  </message>
  <message>
   <source>Linked from</source>
   <translation>Verlinkt von</translation>
  </message>
  <message>
   <source>Links to</source>
   <translation>Verlinkt auf</translation>
  </message>
  <message>
   <source>Links, tags and attributes are in the graph already. A language model reads more out of the text, each claim with the words that prove it. Your notes are not changed.</source>
   <translation>Links, Tags und Attribute stehen schon im Graphen. Ein Sprachmodell liest mehr aus dem Text heraus, jede Aussage mit den Worten, die sie belegen. Deine Notizen werden nicht verändert.</translation>
  </message>
  <message>
   <source>List of the model's files, with size and checksum of each</source>
   <translation>Liste der Dateien des Modells, mit Größe und Prüfsumme</translation>
  </message>
  <message>
   <source>Lists of files</source>
   <translation>Dateilisten</translation>
  </message>
  <message>
   <source>Longest unchanged first</source>
   <translation>Am längsten unveränderte zuerst</translation>
  </message>
  <message>
   <source>Longest wait for Roam before a search (s)</source>
   <translation>Längstes Warten auf Roam vor einer Suche (s)</translation>
  </message>
  <message>
   <source>Looked for:</source>
   <translation>Gesucht:</translation>
  </message>
  <message>
   <source>Looking for paths…</source>
   <translation>Wege werden gesucht …</translation>
  </message>
  <message>
   <source>Looking for what could be decided…</source>
   <translation>Es wird gesucht, was zu entscheiden wäre…</translation>
  </message>
  <message>
   <source>Looking in your notes…</source>
   <translation>In Ihren Notizen wird gesucht …</translation>
  </message>
  <message>
   <source>Looking…</source>
   <translation>Wird nachgesehen…</translation>
  </message>
  <message>
   <source>Made this week</source>
   <translation>Diese Woche angelegt</translation>
  </message>
  <message>
   <source>Make these searchable</source>
   <translation>Durchsuchbar machen</translation>
  </message>
  <message>
   <source>Many notes are gone</source>
   <translation>Viele Notizen fehlen</translation>
  </message>
  <message>
   <source>Map of the graph</source>
   <translation>Karte des Graphen</translation>
  </message>
  <message>
   <source>May be one thing ({n})</source>
   <translation>Vielleicht dasselbe ({n})</translation>
  </message>
  <message>
   <source>Meaning only</source>
   <translation>Nur Bedeutung</translation>
  </message>
  <message>
   <source>Menu, Shift+F10</source>
   <translation>Menü, Umschalt+F10</translation>
  </message>
  <message>
   <source>Model</source>
   <translation>Modell</translation>
  </message>
  <message>
   <source>Model download</source>
   <translation>Herunterladen von Modellen</translation>
  </message>
  <message>
   <source>Models</source>
   <translation>Modelle</translation>
  </message>
  <message>
   <source>Move in the results without leaving the search box</source>
   <translation>In den Treffern bewegen, ohne das Suchfeld zu verlassen</translation>
  </message>
  <message>
   <source>Name</source>
   <translation>Name</translation>
  </message>
  <message>
   <source>Name of the view:</source>
   <translation>Name der Ansicht:</translation>
  </message>
  <message>
   <source>Near in meaning, not linked ({n})</source>
   <translation>Nah im Sinn, nicht verlinkt ({n})</translation>
  </message>
  <message>
   <source>Near-duplicates could not be looked for.</source>
   <translation>Nach Fast-Doppelten konnte nicht gesucht werden.</translation>
  </message>
  <message>
   <source>Never one thing: {names}.</source>
   <translation>Nie dasselbe: {names}.</translation>
  </message>
  <message>
   <source>Newest first</source>
   <translation>Neueste zuerst</translation>
  </message>
  <message>
   <source>Next and previous passage of a note, then the next pane</source>
   <translation>Nächste und vorige Stelle einer Notiz, dann der nächste Bereich</translation>
  </message>
  <message>
   <source>Next highlight</source>
   <translation>Nächste Fundstelle</translation>
  </message>
  <message>
   <source>Next pane</source>
   <translation>Nächster Bereich</translation>
  </message>
  <message>
   <source>No date</source>
   <translation>Kein Datum</translation>
  </message>
  <message>
   <source>No groups</source>
   <translation>Ohne Gruppen</translation>
  </message>
  <message>
   <source>No keys</source>
   <translation>Keine Tasten</translation>
  </message>
  <message>
   <source>No model was found.</source>
   <translation>Es wurde kein Modell gefunden.</translation>
  </message>
  <message>
   <source>No sources yet</source>
   <translation>Noch keine Quellen</translation>
  </message>
  <message>
   <source>Not encrypted</source>
   <translation>Nicht verschlüsselt</translation>
  </message>
  <message>
   <source>Not enough in your notes</source>
   <translation>Nicht genug in Ihren Notizen</translation>
  </message>
  <message>
   <source>Not in it: {words}</source>
   <translation>Nicht enthalten: {words}</translation>
  </message>
  <message>
   <source>Not proposed again: {what}.</source>
   <translation>Wird nicht mehr vorgeschlagen: {what}.</translation>
  </message>
  <message>
   <source>Not until plugged in</source>
   <translation>Erst am Stromnetz</translation>
  </message>
  <message>
   <source>Note</source>
   <translation>Notiz</translation>
  </message>
  <message>
   <source>Note or block</source>
   <translation>Notiz oder Block</translation>
  </message>
  <message>
   <source>Notes</source>
   <translation>Notizen</translation>
  </message>
  <message>
   <source>Notes and their state…</source>
   <translation>Notizen und ihr Zustand…</translation>
  </message>
  <message>
   <source>Notes left out or odd</source>
   <translation>Ausgelassene oder auffällige Notizen</translation>
  </message>
  <message>
   <source>Notes of {name}</source>
   <translation>Notizen von {name}</translation>
  </message>
  <message>
   <source>Nothing chosen</source>
   <translation>Nichts gewählt</translation>
  </message>
  <message>
   <source>Nothing fits these filters.</source>
   <translation>Nichts passt auf diese Filter.</translation>
  </message>
  <message>
   <source>Nothing found</source>
   <translation>Nichts gefunden</translation>
  </message>
  <message>
   <source>Nothing has run yet.</source>
   <translation>Noch ist nichts gelaufen.</translation>
  </message>
  <message>
   <source>Nothing in your notes connects these two.</source>
   <translation>Nichts in Ihren Notizen verbindet diese beiden.</translation>
  </message>
  <message>
   <source>Nothing is chosen. Arrow keys choose.</source>
   <translation>Nichts ist gewählt. Pfeiltasten wählen.</translation>
  </message>
  <message>
   <source>Nothing is left to ask: {n} passages, all answered before.</source>
   <translation>Es bleibt nichts zu fragen: {n} Passagen, alle schon beantwortet.</translation>
  </message>
  <message>
   <source>Nothing is near to this note.</source>
   <translation>Nichts steht dieser Notiz nahe.</translation>
  </message>
  <message>
   <source>Nothing is said about it.</source>
   <translation>Darüber wird nichts gesagt.</translation>
  </message>
  <message>
   <source>Nothing is sent without it.</source>
   <translation>Ohne dies wird nichts gesendet.</translation>
  </message>
  <message>
   <source>Nothing new was found. Drop or choose your notes below.</source>
   <translation>Nichts Neues gefunden. Unten können Notizen abgelegt oder gewählt werden.</translation>
  </message>
  <message>
   <source>Nothing on this machine opens {link}.</source>
   <translation>Nichts auf diesem Rechner öffnet {link}.</translation>
  </message>
  <message>
   <source>Nothing waits for you.</source>
   <translation>Nichts wartet auf Sie.</translation>
  </message>
  <message>
   <source>Numbers</source>
   <translation>Zahlen</translation>
  </message>
  <message>
   <source>Oldest first</source>
   <translation>Älteste zuerst</translation>
  </message>
  <message>
   <source>On this machine</source>
   <translation>Auf diesem Gerät</translation>
  </message>
  <message>
   <source>Once more</source>
   <translation>Noch einmal</translation>
  </message>
  <message>
   <source>One by one</source>
   <translation>Einzeln</translation>
  </message>
  <message>
   <source>One moment…</source>
   <translation>Einen Moment …</translation>
  </message>
  <message>
   <source>One pattern a line, such as Projects/** or *.canvas</source>
   <translation>Ein Muster je Zeile, etwa Projekte/** oder *.canvas</translation>
  </message>
  <message>
   <source>One thing: {names}.</source>
   <translation>Dasselbe: {names}.</translation>
  </message>
  <message>
   <source>Only notes that fit one of these</source>
   <translation>Nur Notizen, auf die eines davon passt</translation>
  </message>
  <message>
   <source>Only when I ask</source>
   <translation>Nur wenn ich es verlange</translation>
  </message>
  <message>
   <source>Open</source>
   <translation>Öffnen</translation>
  </message>
  <message>
   <source>Open in its own app</source>
   <translation>In der eigenen App öffnen</translation>
  </message>
  <message>
   <source>Open its note in its own app</source>
   <translation>Die Notiz in ihrer eigenen App öffnen</translation>
  </message>
  <message>
   <source>Open tasks</source>
   <translation>Offene Aufgaben</translation>
  </message>
  <message>
   <source>Open the folder</source>
   <translation>Ordner öffnen</translation>
  </message>
  <message>
   <source>Open the window</source>
   <translation>Fenster öffnen</translation>
  </message>
  <message>
   <source>Open this source's folder</source>
   <translation>Ordner dieser Quelle öffnen</translation>
  </message>
  <message>
   <source>OpenRouter</source>
   <translation>OpenRouter</translation>
  </message>
  <message>
   <source>OpenRouter is switched off. It is switched on when you agree.</source>
   <translation>OpenRouter ist ausgeschaltet. Mit Ihrem Einverständnis wird es eingeschaltet.</translation>
  </message>
  <message>
   <source>OpenRouter, over the internet</source>
   <translation>OpenRouter, über das Internet</translation>
  </message>
  <message>
   <source>Opening your notes…</source>
   <translation>Notizen werden geöffnet …</translation>
  </message>
  <message>
   <source>Opening {title}…</source>
   <translation>{title} wird geöffnet …</translation>
  </message>
  <message>
   <source>Options of this source…</source>
   <translation>Optionen dieser Quelle …</translation>
  </message>
  <message>
   <source>Options of {name}</source>
   <translation>Optionen von {name}</translation>
  </message>
  <message>
   <source>Or drop a vault's folder or a Roam export (.json, .edn, .zip) anywhere on this window.</source>
   <translation>Oder den Ordner eines Vaults oder einen Roam-Export (.json, .edn, .zip) irgendwo auf diesem Fenster ablegen.</translation>
  </message>
  <message>
   <source>Order</source>
   <translation>Reihenfolge</translation>
  </message>
  <message>
   <source>Order and groups: {order}</source>
   <translation>Reihenfolge und Gruppen: {order}</translation>
  </message>
  <message>
   <source>Origin</source>
   <translation>Herkunft</translation>
  </message>
  <message>
   <source>Outcome</source>
   <translation>Ergebnis</translation>
  </message>
  <message>
   <source>Pages</source>
   <translation>Seiten</translation>
  </message>
  <message>
   <source>Pages of the settings</source>
   <translation>Seiten der Einstellungen</translation>
  </message>
  <message>
   <source>Pale: a name without a note of its own</source>
   <translation>Blass: ein Name ohne eigene Notiz</translation>
  </message>
  <message>
   <source>Part of a name or reason</source>
   <translation>Teil eines Namens oder Grundes</translation>
  </message>
  <message>
   <source>Passages read</source>
   <translation>Gelesene Passagen</translation>
  </message>
  <message>
   <source>Passphrase</source>
   <translation>Passphrase</translation>
  </message>
  <message>
   <source>Path</source>
   <translation>Weg</translation>
  </message>
  <message>
   <source>Path from here…</source>
   <translation>Weg von hier …</translation>
  </message>
  <message>
   <source>Path to here</source>
   <translation>Weg hierher</translation>
  </message>
  <message>
   <source>Paths</source>
   <translation>Wege</translation>
  </message>
  <message>
   <source>Paths go through all that is known, written and inferred, whatever filters the map has.</source>
   <translation>Wege führen durch alles Bekannte, Geschriebenes und Erschlossenes, welche Filter die Karte auch hat.</translation>
  </message>
  <message>
   <source>Pause</source>
   <translation>Pause</translation>
  </message>
  <message>
   <source>Pause before searching by meaning (ms)</source>
   <translation>Pause vor der Suche nach Bedeutung (ms)</translation>
  </message>
  <message>
   <source>Pause indexing</source>
   <translation>Indizieren anhalten</translation>
  </message>
  <message>
   <source>Pause or resume indexing</source>
   <translation>Indizieren anhalten oder fortsetzen</translation>
  </message>
  <message>
   <source>Paused. Nothing is asked until it goes on.</source>
   <translation>Angehalten. Bis es weitergeht, wird nichts gefragt.</translation>
  </message>
  <message>
   <source>Pin or unpin its place</source>
   <translation>Platz anheften oder lösen</translation>
  </message>
  <message>
   <source>Port of Ollama on this machine</source>
   <translation>Port von Ollama auf diesem Rechner</translation>
  </message>
  <message>
   <source>Press the new keys</source>
   <translation>Neue Tasten drücken</translation>
  </message>
  <message>
   <source>Previous highlight</source>
   <translation>Vorige Fundstelle</translation>
  </message>
  <message>
   <source>Previous pane</source>
   <translation>Voriger Bereich</translation>
  </message>
  <message>
   <source>Privacy</source>
   <translation>Privatsphäre</translation>
  </message>
  <message>
   <source>Progress of indexing</source>
   <translation>Fortschritt des Indizierens</translation>
  </message>
  <message>
   <source>Progress of {name}</source>
   <translation>Fortschritt von {name}</translation>
  </message>
  <message>
   <source>Put into words by {model}</source>
   <translation>In Worte gefasst von {model}</translation>
  </message>
  <message>
   <source>Put off ({n})</source>
   <translation>Aufgeschoben ({n})</translation>
  </message>
  <message>
   <source>Put off.</source>
   <translation>Zurückgestellt.</translation>
  </message>
  <message>
   <source>Question</source>
   <translation>Frage</translation>
  </message>
  <message>
   <source>Quick search</source>
   <translation>Schnellsuche</translation>
  </message>
  <message>
   <source>Quick search stays at hand, and notes are indexed as they change. The settings can change this later.</source>
   <translation>Die Schnellsuche bleibt zur Hand, und Notizen werden indiziert, sobald sie sich ändern. In den Einstellungen lässt sich das später ändern.</translation>
  </message>
  <message>
   <source>Quit</source>
   <translation>Beenden</translation>
  </message>
  <message>
   <source>Quotes that prove them</source>
   <translation>Zitate, die sie belegen</translation>
  </message>
  <message>
   <source>Read about it</source>
   <translation>Mehr darüber lesen</translation>
  </message>
  <message>
   <source>Read it before you hand it to anybody. It holds no text, title or path of a note.</source>
   <translation>Lesen Sie es, bevor Sie es jemandem geben. Es enthält keinen Text, Titel oder Pfad einer Notiz.</translation>
  </message>
  <message>
   <source>Read the note in the preview</source>
   <translation>Notiz in der Vorschau lesen</translation>
  </message>
  <message>
   <source>Reading the graph…</source>
   <translation>Der Graph wird gelesen …</translation>
  </message>
  <message>
   <source>Reason</source>
   <translation>Grund</translation>
  </message>
  <message>
   <source>Rebuild this source's index</source>
   <translation>Index dieser Quelle neu aufbauen</translation>
  </message>
  <message>
   <source>Received</source>
   <translation>Empfangen</translation>
  </message>
  <message>
   <source>Recent searches…</source>
   <translation>Letzte Suchen…</translation>
  </message>
  <message>
   <source>Refresh only while its window is open in Roam</source>
   <translation>Nur auffrischen, solange das Fenster in Roam offen ist</translation>
  </message>
  <message>
   <source>Refreshing {name}</source>
   <translation>{name} wird aufgefrischt</translation>
  </message>
  <message>
   <source>Reject (R)</source>
   <translation>Ablehnen (R)</translation>
  </message>
  <message>
   <source>Related</source>
   <translation>Verwandt</translation>
  </message>
  <message>
   <source>Related notes</source>
   <translation>Verwandte Notizen</translation>
  </message>
  <message>
   <source>Relation</source>
   <translation>Beziehung</translation>
  </message>
  <message>
   <source>Relations</source>
   <translation>Beziehungen</translation>
  </message>
  <message>
   <source>Remark</source>
   <translation>Bemerkung</translation>
  </message>
  <message>
   <source>Remove</source>
   <translation>Entfernen</translation>
  </message>
  <message>
   <source>Remove a model</source>
   <translation>Ein Modell entfernen</translation>
  </message>
  <message>
   <source>Remove a source</source>
   <translation>Quelle entfernen</translation>
  </message>
  <message>
   <source>Remove a view</source>
   <translation>Ansicht entfernen</translation>
  </message>
  <message>
   <source>Remove its files…</source>
   <translation>Dateien entfernen…</translation>
  </message>
  <message>
   <source>Remove the notes that are gone from the index of {name}?</source>
   <translation>Die fehlenden Notizen aus dem Index von {name} entfernen?</translation>
  </message>
  <message>
   <source>Remove them</source>
   <translation>Entfernen</translation>
  </message>
  <message>
   <source>Remove this source…</source>
   <translation>Diese Quelle entfernen …</translation>
  </message>
  <message>
   <source>Remove {name} from Lamplight?</source>
   <translation>{name} aus Lamplight entfernen?</translation>
  </message>
  <message>
   <source>Result</source>
   <translation>Treffer</translation>
  </message>
  <message>
   <source>Results</source>
   <translation>Treffer</translation>
  </message>
  <message>
   <source>Results appear while you type. Up and Down move in them.</source>
   <translation>Treffer erscheinen beim Tippen. Auf und Ab bewegt sich in ihnen.</translation>
  </message>
  <message>
   <source>Results shown at first</source>
   <translation>Anfangs gezeigte Treffer</translation>
  </message>
  <message>
   <source>Review</source>
   <translation>Prüfen</translation>
  </message>
  <message>
   <source>Right, Left</source>
   <translation>Rechts, Links</translation>
  </message>
  <message>
   <source>Roam asks you now whether it may give Lamplight a read-only token…</source>
   <translation>Roam fragt Sie jetzt, ob es Lamplight ein Token zum Lesen geben darf …</translation>
  </message>
  <message>
   <source>Roam cloud</source>
   <translation>Roam-Cloud</translation>
  </message>
  <message>
   <source>Roam exports</source>
   <translation>Roam-Exporte</translation>
  </message>
  <message>
   <source>Runs</source>
   <translation>Läufe</translation>
  </message>
  <message>
   <source>SHA-256 of the weights: {digest}</source>
   <translation>SHA-256 der Gewichte: {digest}</translation>
  </message>
  <message>
   <source>Said by</source>
   <translation>Gesagt von</translation>
  </message>
  <message>
   <source>Said of it ({n})</source>
   <translation>Darüber gesagt ({n})</translation>
  </message>
  <message>
   <source>Save</source>
   <translation>Speichern</translation>
  </message>
  <message>
   <source>Save as a file…</source>
   <translation>Als Datei speichern…</translation>
  </message>
  <message>
   <source>Save the diagnostics</source>
   <translation>Die Diagnose speichern</translation>
  </message>
  <message>
   <source>Save the map</source>
   <translation>Karte speichern</translation>
  </message>
  <message>
   <source>Save this search</source>
   <translation>Diese Suche speichern</translation>
  </message>
  <message>
   <source>Save this search…</source>
   <translation>Diese Suche speichern …</translation>
  </message>
  <message>
   <source>Saved as {place}.</source>
   <translation>Gespeichert als {place}.</translation>
  </message>
  <message>
   <source>Saved searches</source>
   <translation>Gespeicherte Suchen</translation>
  </message>
  <message>
   <source>Saved searches, and what you pinned, hid or merged, are kept for when you add it again.</source>
   <translation>Gespeicherte Suchen und was Sie angeheftet, ausgeblendet oder zusammengeführt haben, bleibt für ein erneutes Hinzufügen erhalten.</translation>
  </message>
  <message>
   <source>Say nearly the same ({n})</source>
   <translation>Sagen fast dasselbe ({n})</translation>
  </message>
  <message>
   <source>Search</source>
   <translation>Suche</translation>
  </message>
  <message>
   <source>Search by meaning only</source>
   <translation>Nur nach Bedeutung suchen</translation>
  </message>
  <message>
   <source>Search by words and meaning</source>
   <translation>Nach Wörtern und Bedeutung suchen</translation>
  </message>
  <message>
   <source>Search by words only</source>
   <translation>Nur nach Wörtern suchen</translation>
  </message>
  <message>
   <source>Search by: {mode}</source>
   <translation>Suchen nach: {mode}</translation>
  </message>
  <message>
   <source>Search in it when all sources are searched</source>
   <translation>Darin suchen, wenn in allen Quellen gesucht wird</translation>
  </message>
  <message>
   <source>Search your notes</source>
   <translation>Notizen durchsuchen</translation>
  </message>
  <message>
   <source>Search your notes by words or by meaning</source>
   <translation>Notizen nach Wörtern oder Bedeutung durchsuchen</translation>
  </message>
  <message>
   <source>Searchable by words at once, by meaning a little later.</source>
   <translation>Sofort nach Wörtern durchsuchbar, etwas später nach Bedeutung.</translation>
  </message>
  <message>
   <source>Searchable by words at once, by meaning in about {time}, newest notes first. The index takes about {size}.</source>
   <translation>Sofort nach Wörtern durchsuchbar, nach Bedeutung in etwa {time}, neueste Notizen zuerst. Der Index braucht etwa {size}.</translation>
  </message>
  <message>
   <source>Searching in all sources</source>
   <translation>Gesucht wird in allen Quellen</translation>
  </message>
  <message>
   <source>Searching in {name} only. Choose it again to search in all.</source>
   <translation>Gesucht wird nur in {name}. Noch einmal gewählt: in allen.</translation>
  </message>
  <message>
   <source>Sent</source>
   <translation>Gesendet</translation>
  </message>
  <message>
   <source>Service</source>
   <translation>Dienst</translation>
  </message>
  <message>
   <source>Services</source>
   <translation>Dienste</translation>
  </message>
  <message>
   <source>Settings</source>
   <translation>Einstellungen</translation>
  </message>
  <message>
   <source>Settings: {place}</source>
   <translation>Einstellungen: {place}</translation>
  </message>
  <message>
   <source>Settings…</source>
   <translation>Einstellungen …</translation>
  </message>
  <message>
   <source>Show diagnostics…</source>
   <translation>Diagnose zeigen…</translation>
  </message>
  <message>
   <source>Show its neighbourhood</source>
   <translation>Nachbarschaft zeigen</translation>
  </message>
  <message>
   <source>Show or hide related notes and details</source>
   <translation>Verwandte Notizen und Details zeigen oder verbergen</translation>
  </message>
  <message>
   <source>Show or hide the further passages of a note (in the results)</source>
   <translation>Weitere Stellen einer Notiz zeigen oder verbergen (in den Treffern)</translation>
  </message>
  <message>
   <source>Show or hide the preview</source>
   <translation>Vorschau zeigen oder verbergen</translation>
  </message>
  <message>
   <source>Show or hide the sources</source>
   <translation>Quellen zeigen oder verbergen</translation>
  </message>
  <message>
   <source>Show quick search</source>
   <translation>Schnellsuche zeigen</translation>
  </message>
  <message>
   <source>Show the best connected entities of all</source>
   <translation>Die am besten verbundenen Entitäten zeigen</translation>
  </message>
  <message>
   <source>Show the map from above</source>
   <translation>Karte von oben zeigen</translation>
  </message>
  <message>
   <source>Show the same as a table (Ctrl+T)</source>
   <translation>Dasselbe als Tabelle zeigen (Strg+T)</translation>
  </message>
  <message>
   <source>Show the whole map (0)</source>
   <translation>Ganze Karte zeigen (0)</translation>
  </message>
  <message>
   <source>Size</source>
   <translation>Größe</translation>
  </message>
  <message>
   <source>So far: {calls}, {tokens_in} tokens in, {tokens_out} out</source>
   <translation>Bisher: {calls}, {tokens_in} Token hinein, {tokens_out} heraus</translation>
  </message>
  <message>
   <source>Solid outline: written by you</source>
   <translation>Durchgezogener Umriss: von Ihnen geschrieben</translation>
  </message>
  <message>
   <source>Source</source>
   <translation>Quelle</translation>
  </message>
  <message>
   <source>Sources</source>
   <translation>Quellen</translation>
  </message>
  <message>
   <source>Spoken of without a link ({n})</source>
   <translation>Ohne Link erwähnt ({n})</translation>
  </message>
  <message>
   <source>Start Lamplight at login, without its window</source>
   <translation>Lamplight bei der Anmeldung starten, ohne Fenster</translation>
  </message>
  <message>
   <source>Start at login</source>
   <translation>Start bei der Anmeldung</translation>
  </message>
  <message>
   <source>Start reading</source>
   <translation>Lesen lassen</translation>
  </message>
  <message>
   <source>State</source>
   <translation>Zustand</translation>
  </message>
  <message>
   <source>Steps around the entity in the middle</source>
   <translation>Schritte um die Entität in der Mitte</translation>
  </message>
  <message>
   <source>Stop</source>
   <translation>Anhalten</translation>
  </message>
  <message>
   <source>Stopped. What stands here is not checked.</source>
   <translation>Angehalten. Was hier steht, ist nicht geprüft.</translation>
  </message>
  <message>
   <source>Stopped. What was answered is kept.</source>
   <translation>Abgebrochen. Was beantwortet war, bleibt erhalten.</translation>
  </message>
  <message>
   <source>Stopping…</source>
   <translation>Wird abgebrochen…</translation>
  </message>
  <message>
   <source>Summary of the results</source>
   <translation>Zusammenfassung der Treffer</translation>
  </message>
  <message>
   <source>Swap</source>
   <translation>Tauschen</translation>
  </message>
  <message>
   <source>Tab, Shift+Tab</source>
   <translation>Tab, Umschalt+Tab</translation>
  </message>
  <message>
   <source>Table</source>
   <translation>Tabelle</translation>
  </message>
  <message>
   <source>Tag</source>
   <translation>Tag</translation>
  </message>
  <message>
   <source>Tags</source>
   <translation>Tags</translation>
  </message>
  <message>
   <source>Take over from Roam's tools</source>
   <translation>Von Roams Werkzeugen übernehmen</translation>
  </message>
  <message>
   <source>Take what was merged apart</source>
   <translation>Zusammengelegtes trennen</translation>
  </message>
  <message>
   <source>Take {part} out of the search</source>
   <translation>{part} aus der Suche nehmen</translation>
  </message>
  <message>
   <source>Taken apart: {names}.</source>
   <translation>Getrennt: {names}.</translation>
  </message>
  <message>
   <source>That did not work.</source>
   <translation>Das ging nicht.</translation>
  </message>
  <message>
   <source>The X server does not answer: {reason}</source>
   <translation>Der X-Server antwortet nicht: {reason}</translation>
  </message>
  <message>
   <source>The connections could not be read.</source>
   <translation>Die Verbindungen konnten nicht gelesen werden.</translation>
  </message>
  <message>
   <source>The desktop did not grant the keys ({reason}). Bind “lamplight quick” in its settings instead.</source>
   <translation>Der Desktop hat die Tasten nicht gewährt ({reason}). Binden Sie stattdessen „lamplight quick“ in dessen Einstellungen.</translation>
  </message>
  <message>
   <source>The desktop's portal does not answer: {reason}</source>
   <translation>Das Portal des Desktops antwortet nicht: {reason}</translation>
  </message>
  <message>
   <source>The diagnostics could not be collected.</source>
   <translation>Die Diagnose konnte nicht gesammelt werden.</translation>
  </message>
  <message>
   <source>The folders and tags could not be listed.</source>
   <translation>Die Ordner und Tags konnten nicht aufgelistet werden.</translation>
  </message>
  <message>
   <source>The graph could not be read.</source>
   <translation>Der Graph konnte nicht gelesen werden.</translation>
  </message>
  <message>
   <source>The graph itself is not touched.</source>
   <translation>Der Graph selbst bleibt unberührt.</translation>
  </message>
  <message>
   <source>The graph knows nothing called {names}.</source>
   <translation>Der Graph kennt nichts namens {names}.</translation>
  </message>
  <message>
   <source>The index is being read. You can type already.</source>
   <translation>Der Index wird gelesen. Tippen geht schon.</translation>
  </message>
  <message>
   <source>The index is not encrypted.</source>
   <translation>Der Index ist nicht verschlüsselt.</translation>
  </message>
  <message>
   <source>The index of your notes is protected by a passphrase.</source>
   <translation>Der Index Ihrer Notizen ist durch eine Passphrase geschützt.</translation>
  </message>
  <message>
   <source>The key could not be used.</source>
   <translation>Der Schlüssel ließ sich nicht verwenden.</translation>
  </message>
  <message>
   <source>The keychain could not be asked.</source>
   <translation>Der Schlüsselbund konnte nicht gefragt werden.</translation>
  </message>
  <message>
   <source>The last seven days</source>
   <translation>Die letzten sieben Tage</translation>
  </message>
  <message>
   <source>The link could not be made.</source>
   <translation>Der Link konnte nicht erstellt werden.</translation>
  </message>
  <message>
   <source>The link was copied.</source>
   <translation>Der Link wurde kopiert.</translation>
  </message>
  <message>
   <source>The list of files could not be read.</source>
   <translation>Die Dateiliste konnte nicht gelesen werden.</translation>
  </message>
  <message>
   <source>The map could not be laid out.</source>
   <translation>Die Karte konnte nicht angeordnet werden.</translation>
  </message>
  <message>
   <source>The map could not be saved.</source>
   <translation>Die Karte konnte nicht gespeichert werden.</translation>
  </message>
  <message>
   <source>The model could not be downloaded.</source>
   <translation>Das Modell konnte nicht heruntergeladen werden.</translation>
  </message>
  <message>
   <source>The model could not be imported.</source>
   <translation>Das Modell konnte nicht importiert werden.</translation>
  </message>
  <message>
   <source>The model could not be removed.</source>
   <translation>Das Modell konnte nicht entfernt werden.</translation>
  </message>
  <message>
   <source>The model could not go on reading.</source>
   <translation>Das Modell konnte nicht weiterlesen.</translation>
  </message>
  <message>
   <source>The model is reading…</source>
   <translation>Das Modell liest…</translation>
  </message>
  <message>
   <source>The model is writing…</source>
   <translation>Das Modell schreibt …</translation>
  </message>
  <message>
   <source>The model reads a few passages, to see how long it takes…</source>
   <translation>Das Modell liest einige Passagen, um zu sehen, wie lange es dauert…</translation>
  </message>
  <message>
   <source>The model that comes with Lamplight</source>
   <translation>Das Modell, das zu Lamplight gehört</translation>
  </message>
  <message>
   <source>The models could not be listed.</source>
   <translation>Die Modelle konnten nicht aufgelistet werden.</translation>
  </message>
  <message>
   <source>The name and version of the model you chose, and your network address, reach the server that offers the model. No note text leaves this machine.</source>
   <translation>Name und Version des gewählten Modells und Ihre Netzadresse erreichen den Server, der das Modell anbietet. Kein Notiztext verlässt diesen Rechner.</translation>
  </message>
  <message>
   <source>The name of your graph, your graph token and read queries go to Roam's servers, which send the whole graph back. Roam can see when you do this and from which network address. Nothing is written to the graph.</source>
   <translation>Der Name Ihres Graphen, sein Token und Leseanfragen gehen an Roams Server, die den ganzen Graphen zurücksenden. Roam sieht, wann und von welcher Netzadresse das geschieht. In den Graphen wird nichts geschrieben.</translation>
  </message>
  <message>
   <source>The network services could not be listed.</source>
   <translation>Die Netzdienste konnten nicht aufgelistet werden.</translation>
  </message>
  <message>
   <source>The note could not be read.</source>
   <translation>Die Notiz konnte nicht gelesen werden.</translation>
  </message>
  <message>
   <source>The note's relations could not be read.</source>
   <translation>Die Beziehungen der Notiz konnten nicht gelesen werden.</translation>
  </message>
  <message>
   <source>The notes could not be counted.</source>
   <translation>Die Notizen konnten nicht gezählt werden.</translation>
  </message>
  <message>
   <source>The notes could not be opened.</source>
   <translation>Die Notizen konnten nicht geöffnet werden.</translation>
  </message>
  <message>
   <source>The notes themselves are not touched.</source>
   <translation>Die Notizen selbst bleiben unberührt.</translation>
  </message>
  <message>
   <source>The options of {name} could not be changed.</source>
   <translation>Die Optionen von {name} konnten nicht geändert werden.</translation>
  </message>
  <message>
   <source>The path could not be looked for.</source>
   <translation>Der Weg konnte nicht gesucht werden.</translation>
  </message>
  <message>
   <source>The question could not be answered.</source>
   <translation>Die Frage konnte nicht beantwortet werden.</translation>
  </message>
  <message>
   <source>The report could not be read.</source>
   <translation>Der Bericht konnte nicht gelesen werden.</translation>
  </message>
  <message>
   <source>The same thing</source>
   <translation>Dasselbe</translation>
  </message>
  <message>
   <source>The saved searches could not be read.</source>
   <translation>Die gespeicherten Suchen konnten nicht gelesen werden.</translation>
  </message>
  <message>
   <source>The search could not be saved.</source>
   <translation>Die Suche konnte nicht gespeichert werden.</translation>
  </message>
  <message>
   <source>The search did not work.</source>
   <translation>Die Suche hat nicht geklappt.</translation>
  </message>
  <message>
   <source>The settings could not be read.</source>
   <translation>Die Einstellungen konnten nicht gelesen werden.</translation>
  </message>
  <message>
   <source>The settings could not be saved.</source>
   <translation>Die Einstellungen konnten nicht gespeichert werden.</translation>
  </message>
  <message>
   <source>The source could not be removed.</source>
   <translation>Die Quelle konnte nicht entfernt werden.</translation>
  </message>
  <message>
   <source>The sources could not be listed.</source>
   <translation>Die Quellen konnten nicht aufgelistet werden.</translation>
  </message>
  <message>
   <source>The text of the notes you choose to work on, and your questions about them, go to OpenRouter and from there to the maker of the model you picked. They may keep them.</source>
   <translation>Der Text der Notizen, die Sie bearbeiten lassen, und Ihre Fragen dazu gehen an OpenRouter und von dort an den Anbieter des gewählten Modells. Beide können das aufbewahren.</translation>
  </message>
  <message>
   <source>The two are not the same.</source>
   <translation>Die beiden stimmen nicht überein.</translation>
  </message>
  <message>
   <source>The version of Lamplight you run and your network address reach the project's page. No note text leaves this machine.</source>
   <translation>Die Version von Lamplight und Ihre Netzadresse erreichen die Seite des Projekts. Kein Notiztext verlässt diesen Rechner.</translation>
  </message>
  <message>
   <source>The view is kept as {name}.</source>
   <translation>Die Ansicht bleibt als {name} erhalten.</translation>
  </message>
  <message>
   <source>Their index is protected by a passphrase.</source>
   <translation>Ihr Index ist durch eine Passphrase geschützt.</translation>
  </message>
  <message>
   <source>There is no estimate.</source>
   <translation>Es gibt keine Schätzung.</translation>
  </message>
  <message>
   <source>There is nothing on the map yet.
Index a source: its links, tags and attributes become the graph.</source>
   <translation>Auf der Karte ist noch nichts.
Indizieren Sie eine Quelle: Ihre Links, Tags und Attribute werden zum Graphen.</translation>
  </message>
  <message>
   <source>There is, or was, no keychain to keep its key in. You choose how it is protected.</source>
   <translation>Es gibt oder gab keinen Schlüsselbund für seinen Schlüssel. Wie er geschützt wird, bestimmen Sie.</translation>
  </message>
  <message>
   <source>These are the same.</source>
   <translation>Das ist dasselbe.</translation>
  </message>
  <message>
   <source>This desktop lets no program listen for keys. Bind the command “lamplight quick” in its settings.</source>
   <translation>Dieser Desktop lässt kein Programm auf Tasten hören. Binden Sie den Befehl „lamplight quick“ in dessen Einstellungen.</translation>
  </message>
  <message>
   <source>This is a fault in Lamplight, please report it. {detail}</source>
   <translation>Das ist ein Fehler in Lamplight, bitte melden. {detail}</translation>
  </message>
  <message>
   <source>This is a source already</source>
   <translation>Das ist schon eine Quelle</translation>
  </message>
  <message>
   <source>This is {version}. Nothing is fetched by itself.</source>
   <translation>Dies ist {version}. Von selbst wird nichts geholt.</translation>
  </message>
  <message>
   <source>This link is not one that Lamplight knows.</source>
   <translation>Diesen Link kennt Lamplight nicht.</translation>
  </message>
  <message>
   <source>This machine</source>
   <translation>Dieser Rechner</translation>
  </message>
  <message>
   <source>This machine could not be searched for notes.</source>
   <translation>Dieser Rechner konnte nicht nach Notizen durchsucht werden.</translation>
  </message>
  <message>
   <source>This month</source>
   <translation>Dieser Monat</translation>
  </message>
  <message>
   <source>This note is empty.</source>
   <translation>Diese Notiz ist leer.</translation>
  </message>
  <message>
   <source>This note is long: the part around the passage is shown.</source>
   <translation>Diese Notiz ist lang: gezeigt wird der Teil um die Stelle.</translation>
  </message>
  <message>
   <source>This page is long: the part around the passage is shown.</source>
   <translation>Diese Seite ist lang: gezeigt wird der Teil um die Stelle.</translation>
  </message>
  <message>
   <source>This year</source>
   <translation>Dieses Jahr</translation>
  </message>
  <message>
   <source>Threads for the embedding model (0 = choose)</source>
   <translation>Threads für das Einbettungsmodell (0 = automatisch)</translation>
  </message>
  <message>
   <source>Tick what you want to search.</source>
   <translation>Ankreuzen, was durchsucht werden soll.</translation>
  </message>
  <message>
   <source>Time</source>
   <translation>Zeit</translation>
  </message>
  <message>
   <source>Tinted ground: what belongs together</source>
   <translation>Getönter Grund: was zusammengehört</translation>
  </message>
  <message>
   <source>To {name} would go: {leaves}</source>
   <translation>An {name} ginge: {leaves}</translation>
  </message>
  <message>
   <source>Today</source>
   <translation>Heute</translation>
  </message>
  <message>
   <source>Token</source>
   <translation>Token</translation>
  </message>
  <message>
   <source>Token of the graph, made in Roam's settings</source>
   <translation>Token des Graphen aus Roams Einstellungen</translation>
  </message>
  <message>
   <source>Token of {name}</source>
   <translation>Token von {name}</translation>
  </message>
  <message>
   <source>Took</source>
   <translation>Dauer</translation>
  </message>
  <message>
   <source>Top folder</source>
   <translation>Oberster Ordner</translation>
  </message>
  <message>
   <source>To…</source>
   <translation>Nach …</translation>
  </message>
  <message>
   <source>Try again</source>
   <translation>Noch einmal</translation>
  </message>
  <message>
   <source>Try fewer or other words, or describe what the note says.</source>
   <translation>Weniger oder andere Wörter versuchen, oder beschreiben, was in der Notiz steht.</translation>
  </message>
  <message>
   <source>Trying again may help.</source>
   <translation>Ein neuer Versuch kann helfen.</translation>
  </message>
  <message>
   <source>Type</source>
   <translation>Art</translation>
  </message>
  <message>
   <source>Type a few words, or describe it in your own: notes are found by what they mean, too.</source>
   <translation>Ein paar Wörter tippen oder es mit eigenen beschreiben: Notizen werden auch nach ihrer Bedeutung gefunden.</translation>
  </message>
  <message>
   <source>Type what you want to do</source>
   <translation>Tippen Sie, was Sie tun wollen</translation>
  </message>
  <message>
   <source>Types</source>
   <translation>Arten</translation>
  </message>
  <message>
   <source>Types, and how they look</source>
   <translation>Arten, und wie sie aussehen</translation>
  </message>
  <message>
   <source>Undo (U)</source>
   <translation>Zurücknehmen (U)</translation>
  </message>
  <message>
   <source>Undone.</source>
   <translation>Zurückgenommen.</translation>
  </message>
  <message>
   <source>Unlock</source>
   <translation>Entsperren</translation>
  </message>
  <message>
   <source>Unlock your notes</source>
   <translation>Notizen entsperren</translation>
  </message>
  <message>
   <source>Up, Down, Page Up, Page Down</source>
   <translation>Auf, Ab, Bild auf, Bild ab</translation>
  </message>
  <message>
   <source>Use them here instead</source>
   <translation>Stattdessen hier verwenden</translation>
  </message>
  <message>
   <source>Use these keys</source>
   <translation>Diese Tasten verwenden</translation>
  </message>
  <message>
   <source>Used by</source>
   <translation>Benutzt von</translation>
  </message>
  <message>
   <source>Versions, counts, timings and errors, without a word of your notes. You read it before you save it.</source>
   <translation>Versionen, Zahlen, Zeiten und Fehler, ohne ein Wort aus Ihren Notizen. Sie lesen es, bevor Sie es speichern.</translation>
  </message>
  <message>
   <source>View</source>
   <translation>Ansicht</translation>
  </message>
  <message>
   <source>Views</source>
   <translation>Ansichten</translation>
  </message>
  <message>
   <source>What</source>
   <translation>Was</translation>
  </message>
  <message>
   <source>What are you looking for?</source>
   <translation>Was suchst du?</translation>
  </message>
  <message>
   <source>What can be done with the row</source>
   <translation>Was sich mit der Zeile tun lässt</translation>
  </message>
  <message>
   <source>What can be done with this entity</source>
   <translation>Was sich mit dieser Entität tun lässt</translation>
  </message>
  <message>
   <source>What comes nearest stands below.</source>
   <translation>Was dem am nächsten kommt, steht darunter.</translation>
  </message>
  <message>
   <source>What did not work</source>
   <translation>Was nicht gelang</translation>
  </message>
  <message>
   <source>What is said</source>
   <translation>Was gesagt wird</translation>
  </message>
  <message>
   <source>What it holds</source>
   <translation>Was er enthält</translation>
  </message>
  <message>
   <source>What may follow</source>
   <translation>Was folgen kann</translation>
  </message>
  <message>
   <source>What they do</source>
   <translation>Was sie tun</translation>
  </message>
  <message>
   <source>What waits for a decision</source>
   <translation>Was auf eine Entscheidung wartet</translation>
  </message>
  <message>
   <source>What was answered is kept.</source>
   <translation>Was beantwortet war, bleibt erhalten.</translation>
  </message>
  <message>
   <source>When</source>
   <translation>Wann</translation>
  </message>
  <message>
   <source>When older than 10 minutes</source>
   <translation>Wenn älter als 10 Minuten</translation>
  </message>
  <message>
   <source>When older than a day</source>
   <translation>Wenn älter als ein Tag</translation>
  </message>
  <message>
   <source>When older than an hour</source>
   <translation>Wenn älter als eine Stunde</translation>
  </message>
  <message>
   <source>When older than {n} minute</source>
   <translation>Wenn älter als {n} Minute</translation>
  </message>
  <message>
   <source>When older than {n} minutes</source>
   <translation>Wenn älter als {n} Minuten</translation>
  </message>
  <message>
   <source>When the window is closed</source>
   <translation>Wenn das Fenster geschlossen wird</translation>
  </message>
  <message>
   <source>Where the model is</source>
   <translation>Wo das Modell ist</translation>
  </message>
  <message>
   <source>Which model is it? One of the list, or a name of your own.</source>
   <translation>Welches Modell ist es? Eines aus der Liste oder ein eigener Name.</translation>
  </message>
  <message>
   <source>Who puts it into words</source>
   <translation>Wer es in Worte fasst</translation>
  </message>
  <message>
   <source>Whoever can read your files can read the text of your notes in the index.</source>
   <translation>Wer Ihre Dateien lesen kann, kann im Index den Text Ihrer Notizen lesen.</translation>
  </message>
  <message>
   <source>Why</source>
   <translation>Warum</translation>
  </message>
  <message>
   <source>Why it was found</source>
   <translation>Warum es gefunden wurde</translation>
  </message>
  <message>
   <source>Without a date</source>
   <translation>Ohne Datum</translation>
  </message>
  <message>
   <source>Without a model: the notes' own sentences</source>
   <translation>Ohne Modell: die eigenen Sätze der Notizen</translation>
  </message>
  <message>
   <source>Words and meaning</source>
   <translation>Wörter und Bedeutung</translation>
  </message>
  <message>
   <source>Words only</source>
   <translation>Nur Wörter</translation>
  </message>
  <message>
   <source>Written by you</source>
   <translation>Von Ihnen geschrieben</translation>
  </message>
  <message>
   <source>Your notes and their index stay on this machine.</source>
   <translation>Deine Notizen und ihr Index bleiben auf diesem Rechner.</translation>
  </message>
  <message>
   <source>Your notes are locked.</source>
   <translation>Ihre Notizen sind gesperrt.</translation>
  </message>
  <message>
   <source>Your notes are not changed by any of this: the text of a link is copied for you to paste.</source>
   <translation>Nichts davon verändert Ihre Notizen: Der Text eines Links wird zum Einfügen kopiert.</translation>
  </message>
  <message>
   <source>about {price}</source>
   <translation>etwa {price}</translation>
  </message>
  <message>
   <source>about {price} by the provider's price list of this moment</source>
   <translation>etwa {price} nach der jetzigen Preisliste des Anbieters</translation>
  </message>
  <message>
   <source>about {time}, measured on {answers}</source>
   <translation>etwa {time}, gemessen an {answers}</translation>
  </message>
  <message>
   <source>about {tokens_in} tokens in and {tokens_out} out</source>
   <translation>etwa {tokens_in} Token hinein und {tokens_out} heraus</translation>
  </message>
  <message>
   <source>absent</source>
   <translation>nicht vorhanden</translation>
  </message>
  <message>
   <source>add neighbours, hide, pin</source>
   <translation>Nachbarn dazu, verbergen, anheften</translation>
  </message>
  <message>
   <source>all folders</source>
   <translation>alle Ordner</translation>
  </message>
  <message>
   <source>all keys</source>
   <translation>alle Tasten</translation>
  </message>
  <message>
   <source>all of them</source>
   <translation>alle</translation>
  </message>
  <message>
   <source>all passages</source>
   <translation>alle Passagen</translation>
  </message>
  <message>
   <source>all tags</source>
   <translation>alle Tags</translation>
  </message>
  <message>
   <source>all; or a title, or the uid of a block</source>
   <translation>alle; oder ein Titel oder die uid eines Blocks</translation>
  </message>
  <message>
   <source>and {n} more</source>
   <translation>und {n} weitere</translation>
  </message>
  <message>
   <source>back to what was shown before</source>
   <translation>zurück zu dem, was vorher zu sehen war</translation>
  </message>
  <message>
   <source>bar</source>
   <translation>Balken</translation>
  </message>
  <message>
   <source>blocks below</source>
   <translation>Blöcke darunter</translation>
  </message>
  <message>
   <source>cancelled; what was done is kept</source>
   <translation>abgebrochen; das Erledigte bleibt</translation>
  </message>
  <message>
   <source>cannot be opened</source>
   <translation>nicht zu öffnen</translation>
  </message>
  <message>
   <source>changed</source>
   <translation>geändert</translation>
  </message>
  <message>
   <source>changed since</source>
   <translation>seither geändert</translation>
  </message>
  <message>
   <source>changed since it was indexed</source>
   <translation>seit dem Indizieren geändert</translation>
  </message>
  <message>
   <source>circle</source>
   <translation>Kreis</translation>
  </message>
  <message>
   <source>concept</source>
   <translation>Begriff</translation>
  </message>
  <message>
   <source>daily notes</source>
   <translation>Tagesnotizen</translation>
  </message>
  <message>
   <source>damaged</source>
   <translation>beschädigt</translation>
  </message>
  <message>
   <source>diamond</source>
   <translation>Raute</translation>
  </message>
  <message>
   <source>download</source>
   <translation>herunterladen</translation>
  </message>
  <message>
   <source>embedding</source>
   <translation>wird eingebettet</translation>
  </message>
  <message>
   <source>event</source>
   <translation>Ereignis</translation>
  </message>
  <message>
   <source>failed</source>
   <translation>fehlgeschlagen</translation>
  </message>
  <message>
   <source>failed: {why}</source>
   <translation>fehlgeschlagen: {why}</translation>
  </message>
  <message>
   <source>find an entity; the tabs</source>
   <translation>Entität finden; die Reiter</translation>
  </message>
  <message>
   <source>for another program</source>
   <translation>für ein anderes Programm</translation>
  </message>
  <message>
   <source>found by itself; or 127.0.0.1:8080</source>
   <translation>wird selbst gefunden; oder 127.0.0.1:8080</translation>
  </message>
  <message>
   <source>graph</source>
   <translation>Graph</translation>
  </message>
  <message>
   <source>headings above</source>
   <translation>Überschriften darüber</translation>
  </message>
  <message>
   <source>hexagon</source>
   <translation>Sechseck</translation>
  </message>
  <message>
   <source>image</source>
   <translation>Bild</translation>
  </message>
  <message>
   <source>in {source}</source>
   <translation>in {source}</translation>
  </message>
  <message>
   <source>indexed</source>
   <translation>indiziert</translation>
  </message>
  <message>
   <source>indexed ({n} note)</source>
   <translation>indiziert ({n} Notiz)</translation>
  </message>
  <message>
   <source>indexed ({n} notes)</source>
   <translation>indiziert ({n} Notizen)</translation>
  </message>
  <message>
   <source>indexed just now</source>
   <translation>eben indiziert</translation>
  </message>
  <message>
   <source>indexed {time} ago</source>
   <translation>vor {time} indiziert</translation>
  </message>
  <message>
   <source>indexed, but odd</source>
   <translation>indiziert, aber auffällig</translation>
  </message>
  <message>
   <source>indexing</source>
   <translation>wird indiziert</translation>
  </message>
  <message>
   <source>inferred by a model</source>
   <translation>von einem Modell erschlossen</translation>
  </message>
  <message>
   <source>inferred, {n} % sure</source>
   <translation>erschlossen, zu {n} % sicher</translation>
  </message>
  <message>
   <source>it was declined</source>
   <translation>abgelehnt</translation>
  </message>
  <message>
   <source>kept in the system's keychain</source>
   <translation>kommt in den Schlüsselbund des Systems</translation>
  </message>
  <message>
   <source>left alone: its window is not open</source>
   <translation>nicht angerührt: sein Fenster ist nicht offen</translation>
  </message>
  <message>
   <source>likely match</source>
   <translation>wahrscheinlicher Treffer</translation>
  </message>
  <message>
   <source>line {n}</source>
   <translation>Zeile {n}</translation>
  </message>
  <message>
   <source>link copied</source>
   <translation>Link kopiert</translation>
  </message>
  <message>
   <source>linked already</source>
   <translation>schon verlinkt</translation>
  </message>
  <message>
   <source>locked</source>
   <translation>verschlossen</translation>
  </message>
  <message>
   <source>long block</source>
   <translation>langer Block</translation>
  </message>
  <message>
   <source>many</source>
   <translation>viele</translation>
  </message>
  <message>
   <source>meaning</source>
   <translation>Bedeutung</translation>
  </message>
  <message>
   <source>mentions</source>
   <translation>erwähnt</translation>
  </message>
  <message>
   <source>move in the results</source>
   <translation>in den Treffern bewegen</translation>
  </message>
  <message>
   <source>names merged into others</source>
   <translation>mit anderen zusammengelegte Namen</translation>
  </message>
  <message>
   <source>nearer, farther, the whole map</source>
   <translation>näher, weiter, ganze Karte</translation>
  </message>
  <message>
   <source>neither price nor time is known</source>
   <translation>weder Preis noch Dauer sind bekannt</translation>
  </message>
  <message>
   <source>next and previous neighbour</source>
   <translation>nächster und voriger Nachbar</translation>
  </message>
  <message>
   <source>no longer there</source>
   <translation>nicht mehr da</translation>
  </message>
  <message>
   <source>no longer there; this is the text that was indexed</source>
   <translation>nicht mehr da; das ist der indizierte Text</translation>
  </message>
  <message>
   <source>no note of its own</source>
   <translation>ohne eigene Notiz</translation>
  </message>
  <message>
   <source>no token yet</source>
   <translation>noch kein Token</translation>
  </message>
  <message>
   <source>not here</source>
   <translation>nicht hier</translation>
  </message>
  <message>
   <source>not indexed</source>
   <translation>nicht indiziert</translation>
  </message>
  <message>
   <source>not indexed yet</source>
   <translation>noch nicht indiziert</translation>
  </message>
  <message>
   <source>not known</source>
   <translation>nicht bekannt</translation>
  </message>
  <message>
   <source>not proposed again</source>
   <translation>wird nicht mehr vorgeschlagen</translation>
  </message>
  <message>
   <source>not refreshed</source>
   <translation>nicht aufgefrischt</translation>
  </message>
  <message>
   <source>not supported by the notes</source>
   <translation>von den Notizen nicht gestützt</translation>
  </message>
  <message>
   <source>note</source>
   <translation>Notiz</translation>
  </message>
  <message>
   <source>nothing close</source>
   <translation>nichts Nahes</translation>
  </message>
  <message>
   <source>nothing to do</source>
   <translation>nichts zu tun</translation>
  </message>
  <message>
   <source>octagon</source>
   <translation>Achteck</translation>
  </message>
  <message>
   <source>of them with a note of their own</source>
   <translation>davon mit eigener Notiz</translation>
  </message>
  <message>
   <source>of them written by you</source>
   <translation>davon von Ihnen geschrieben</translation>
  </message>
  <message>
   <source>offline</source>
   <translation>nicht erreichbar</translation>
  </message>
  <message>
   <source>offline; the index is kept as it was</source>
   <translation>nicht erreichbar; der Index bleibt, wie er war</translation>
  </message>
  <message>
   <source>on battery: indexed within ten minutes</source>
   <translation>im Akkubetrieb: werden binnen zehn Minuten indiziert</translation>
  </message>
  <message>
   <source>only inferred by a model</source>
   <translation>nur von einem Modell erschlossen</translation>
  </message>
  <message>
   <source>open elsewhere</source>
   <translation>anderswo geöffnet</translation>
  </message>
  <message>
   <source>open it in its own app</source>
   <translation>in der eigenen App öffnen</translation>
  </message>
  <message>
   <source>organisation</source>
   <translation>Organisation</translation>
  </message>
  <message>
   <source>page</source>
   <translation>Seite</translation>
  </message>
  <message>
   <source>pages and tags in it</source>
   <translation>Seiten und Tags darin</translation>
  </message>
  <message>
   <source>partly indexed</source>
   <translation>teilweise indiziert</translation>
  </message>
  <message>
   <source>paused</source>
   <translation>angehalten</translation>
  </message>
  <message>
   <source>pentagon</source>
   <translation>Fünfeck</translation>
  </message>
  <message>
   <source>person</source>
   <translation>Person</translation>
  </message>
  <message>
   <source>pinned</source>
   <translation>angeheftet</translation>
  </message>
  <message>
   <source>place</source>
   <translation>Ort</translation>
  </message>
  <message>
   <source>present</source>
   <translation>vorhanden</translation>
  </message>
  <message>
   <source>project</source>
   <translation>Projekt</translation>
  </message>
  <message>
   <source>published source</source>
   <translation>veröffentlichte Quelle</translation>
  </message>
  <message>
   <source>read the note here</source>
   <translation>Notiz hier lesen</translation>
  </message>
  <message>
   <source>reading</source>
   <translation>wird gelesen</translation>
  </message>
  <message>
   <source>refreshed</source>
   <translation>aufgefrischt</translation>
  </message>
  <message>
   <source>refreshed only when asked</source>
   <translation>nur auf Verlangen aufgefrischt</translation>
  </message>
  <message>
   <source>scanning</source>
   <translation>wird durchgesehen</translation>
  </message>
  <message>
   <source>show its neighbourhood</source>
   <translation>Nachbarschaft zeigen</translation>
  </message>
  <message>
   <source>skipped</source>
   <translation>übersprungen</translation>
  </message>
  <message>
   <source>slanted block</source>
   <translation>schräger Block</translation>
  </message>
  <message>
   <source>solid: written by you, dashed: inferred, pale: no note of its own</source>
   <translation>durchgezogen: von Ihnen geschrieben, gestrichelt: erschlossen, blass: ohne eigene Notiz</translation>
  </message>
  <message>
   <source>square</source>
   <translation>Quadrat</translation>
  </message>
  <message>
   <source>stale</source>
   <translation>veraltet</translation>
  </message>
  <message>
   <source>starting</source>
   <translation>beginnt</translation>
  </message>
  <message>
   <source>stopped before removing much; nothing was removed</source>
   <translation>vor dem Entfernen von vielem angehalten; nichts wurde entfernt</translation>
  </message>
  <message>
   <source>strong match</source>
   <translation>starker Treffer</translation>
  </message>
  <message>
   <source>tag</source>
   <translation>Tag</translation>
  </message>
  <message>
   <source>tags</source>
   <translation>Tags</translation>
  </message>
  <message>
   <source>taken in and tried out</source>
   <translation>übernommen und ausprobiert</translation>
  </message>
  <message>
   <source>text</source>
   <translation>Text</translation>
  </message>
  <message>
   <source>the link fits several notes</source>
   <translation>der Link passt auf mehrere Notizen</translation>
  </message>
  <message>
   <source>the same as a table</source>
   <translation>dasselbe als Tabelle</translation>
  </message>
  <message>
   <source>to the next structure in this direction</source>
   <translation>zum nächsten Gebäude in dieser Richtung</translation>
  </message>
  <message>
   <source>tool</source>
   <translation>Werkzeug</translation>
  </message>
  <message>
   <source>triangle</source>
   <translation>Dreieck</translation>
  </message>
  <message>
   <source>up to date</source>
   <translation>aktuell</translation>
  </message>
  <message>
   <source>up to {n}</source>
   <translation>bis {n}</translation>
  </message>
  <message>
   <source>vault</source>
   <translation>Vault</translation>
  </message>
  <message>
   <source>waits for your decision</source>
   <translation>wartet auf Ihre Entscheidung</translation>
  </message>
  <message>
   <source>waits until nobody uses the machine</source>
   <translation>wartet, bis niemand am Rechner arbeitet</translation>
  </message>
  <message>
   <source>waits until the machine is plugged in</source>
   <translation>wartet, bis der Rechner am Stromnetz ist</translation>
  </message>
  <message>
   <source>weak match</source>
   <translation>schwacher Treffer</translation>
  </message>
  <message>
   <source>window closed</source>
   <translation>Fenster geschlossen</translation>
  </message>
  <message>
   <source>window not known</source>
   <translation>Fenster unbekannt</translation>
  </message>
  <message>
   <source>window open</source>
   <translation>Fenster offen</translation>
  </message>
  <message>
   <source>without {leg}: {why}</source>
   <translation>ohne {leg}: {why}</translation>
  </message>
  <message>
   <source>words</source>
   <translation>Wörter</translation>
  </message>
  <message>
   <source>written by you</source>
   <translation>von Ihnen geschrieben</translation>
  </message>
  <message>
   <source>written by you, and inferred</source>
   <translation>von Ihnen geschrieben und erschlossen</translation>
  </message>
  <message>
   <source>you, in your notes</source>
   <translation>Sie, in Ihren Notizen</translation>
  </message>
  <message>
   <source>{hours} h {minutes} min</source>
   <translation>{hours} Std. {minutes} Min.</translation>
  </message>
  <message>
   <source>{keys} cannot be used: choose a key together with Ctrl, Alt or Meta.</source>
   <translation>{keys} geht nicht: Wählen Sie eine Taste zusammen mit Strg, Alt oder Meta.</translation>
  </message>
  <message>
   <source>{leg} rank {n}</source>
   <translation>{leg} Rang {n}</translation>
  </message>
  <message>
   <source>{model} at {server}</source>
   <translation>{model} auf {server}</translation>
  </message>
  <message>
   <source>{names} cannot be added</source>
   <translation>{names} kann nicht hinzugefügt werden</translation>
  </message>
  <message>
   <source>{name} cannot be reached.</source>
   <translation>{name} ist nicht erreichbar.</translation>
  </message>
  <message>
   <source>{name} could not be added.</source>
   <translation>{name} konnte nicht hinzugefügt werden.</translation>
  </message>
  <message>
   <source>{name} could not be indexed.</source>
   <translation>{name} konnte nicht indiziert werden.</translation>
  </message>
  <message>
   <source>{name} is the same as:</source>
   <translation>{name} ist dasselbe wie:</translation>
  </message>
  <message>
   <source>{name} was left as it was.</source>
   <translation>{name} blieb, wie es war.</translation>
  </message>
  <message>
   <source>{name}: Obsidian vault</source>
   <translation>{name}: Obsidian-Vault</translation>
  </message>
  <message>
   <source>{name}: Roam export</source>
   <translation>{name}: Roam-Export</translation>
  </message>
  <message>
   <source>{name}: folder of notes</source>
   <translation>{name}: Ordner mit Notizen</translation>
  </message>
  <message>
   <source>{note} has no link to {name}. {below}</source>
   <translation>{note} hat keinen Link zu {name}. {below}</translation>
  </message>
  <message>
   <source>{n} % alike</source>
   <translation>{n} % ähnlich</translation>
  </message>
  <message>
   <source>{n} % alike, {m} % of the words shared</source>
   <translation>zu {n} % ähnlich, {m} % der Wörter gemeinsam</translation>
  </message>
  <message>
   <source>{n} a second</source>
   <translation>{n} pro Sekunde</translation>
  </message>
  <message>
   <source>{n} answer</source>
   <translation>{n} Antwort</translation>
  </message>
  <message>
   <source>{n} answers</source>
   <translation>{n} Antworten</translation>
  </message>
  <message>
   <source>{n} call</source>
   <translation>{n} Aufruf</translation>
  </message>
  <message>
   <source>{n} calls</source>
   <translation>{n} Aufrufe</translation>
  </message>
  <message>
   <source>{n} changed</source>
   <translation>{n} geändert</translation>
  </message>
  <message>
   <source>{n} citation led nowhere</source>
   <translation>{n} Beleg führte ins Leere</translation>
  </message>
  <message>
   <source>{n} citations led nowhere</source>
   <translation>{n} Belege führten ins Leere</translation>
  </message>
  <message>
   <source>{n} claim</source>
   <translation>{n} Aussage</translation>
  </message>
  <message>
   <source>{n} claim in the graph</source>
   <translation>{n} Aussage im Graphen</translation>
  </message>
  <message>
   <source>{n} claims</source>
   <translation>{n} Aussagen</translation>
  </message>
  <message>
   <source>{n} claims in the graph</source>
   <translation>{n} Aussagen im Graphen</translation>
  </message>
  <message>
   <source>{n} daily note</source>
   <translation>{n} Tagesnotiz</translation>
  </message>
  <message>
   <source>{n} daily notes</source>
   <translation>{n} Tagesnotizen</translation>
  </message>
  <message>
   <source>{n} day</source>
   <translation>{n} Tag</translation>
  </message>
  <message>
   <source>{n} days</source>
   <translation>{n} Tagen</translation>
  </message>
  <message>
   <source>{n} decision waits</source>
   <translation>{n} Entscheidung steht aus</translation>
  </message>
  <message>
   <source>{n} decisions wait</source>
   <translation>{n} Entscheidungen stehen aus</translation>
  </message>
  <message>
   <source>{n} failed</source>
   <translation>{n} fehlgeschlagen</translation>
  </message>
  <message>
   <source>{n} found by words only so far</source>
   <translation>{n} bisher nur nach Wörtern zu finden</translation>
  </message>
  <message>
   <source>{n} h</source>
   <translation>{n} h</translation>
  </message>
  <message>
   <source>{n} lines drawn: go nearer for more</source>
   <translation>{n} Linien gezeichnet: näher heran für mehr</translation>
  </message>
  <message>
   <source>{n} min</source>
   <translation>{n} Min.</translation>
  </message>
  <message>
   <source>{n} more passage</source>
   <translation>{n} weitere Stelle</translation>
  </message>
  <message>
   <source>{n} more passages</source>
   <translation>{n} weitere Stellen</translation>
  </message>
  <message>
   <source>{n} more source waits</source>
   <translation>{n} weitere Quelle wartet</translation>
  </message>
  <message>
   <source>{n} more sources wait</source>
   <translation>{n} weitere Quellen warten</translation>
  </message>
  <message>
   <source>{n} moved</source>
   <translation>{n} verschoben</translation>
  </message>
  <message>
   <source>{n} ms</source>
   <translation>{n} ms</translation>
  </message>
  <message>
   <source>{n} new</source>
   <translation>{n} neu</translation>
  </message>
  <message>
   <source>{n} note</source>
   <translation>{n} Notiz</translation>
  </message>
  <message>
   <source>{n} note changed since</source>
   <translation>{n} Notiz seither geändert</translation>
  </message>
  <message>
   <source>{n} note could not be read.</source>
   <translation>{n} Notiz konnte nicht gelesen werden.</translation>
  </message>
  <message>
   <source>{n} note is chosen</source>
   <translation>{n} Notiz ist gewählt</translation>
  </message>
  <message>
   <source>{n} notes</source>
   <translation>{n} Notizen</translation>
  </message>
  <message>
   <source>{n} notes are chosen</source>
   <translation>{n} Notizen sind gewählt</translation>
  </message>
  <message>
   <source>{n} notes changed since</source>
   <translation>{n} Notizen seither geändert</translation>
  </message>
  <message>
   <source>{n} notes could not be read.</source>
   <translation>{n} Notizen konnten nicht gelesen werden.</translation>
  </message>
  <message>
   <source>{n} of {all}</source>
   <translation>{n} von {all}</translation>
  </message>
  <message>
   <source>{n} of {all} entities on the map</source>
   <translation>{n} von {all} Entitäten auf der Karte</translation>
  </message>
  <message>
   <source>{n} of {all} passages</source>
   <translation>{n} von {all} Passagen</translation>
  </message>
  <message>
   <source>{n} passage</source>
   <translation>{n} Stelle</translation>
  </message>
  <message>
   <source>{n} passage answered before</source>
   <translation>{n} Passage schon beantwortet</translation>
  </message>
  <message>
   <source>{n} passage read</source>
   <translation>{n} Passage gelesen</translation>
  </message>
  <message>
   <source>{n} passage was kept out by the filters in your search.</source>
   <translation>{n} Stelle wurde von den Filtern der Suche ausgeschlossen.</translation>
  </message>
  <message>
   <source>{n} passage without an answer</source>
   <translation>{n} Passage ohne Antwort</translation>
  </message>
  <message>
   <source>{n} passages</source>
   <translation>{n} Stellen</translation>
  </message>
  <message>
   <source>{n} passages answered before</source>
   <translation>{n} Passagen schon beantwortet</translation>
  </message>
  <message>
   <source>{n} passages read</source>
   <translation>{n} Passagen gelesen</translation>
  </message>
  <message>
   <source>{n} passages were kept out by the filters in your search.</source>
   <translation>{n} Stellen wurden von den Filtern der Suche ausgeschlossen.</translation>
  </message>
  <message>
   <source>{n} passages without an answer</source>
   <translation>{n} Passagen ohne Antwort</translation>
  </message>
  <message>
   <source>{n} path, the shortest first</source>
   <translation>{n} Weg, der kürzeste zuerst</translation>
  </message>
  <message>
   <source>{n} paths, the shortest first</source>
   <translation>{n} Wege, der kürzeste zuerst</translation>
  </message>
  <message>
   <source>{n} quote</source>
   <translation>{n} Zitat</translation>
  </message>
  <message>
   <source>{n} quotes</source>
   <translation>{n} Zitate</translation>
  </message>
  <message>
   <source>{n} relation</source>
   <translation>{n} Beziehung</translation>
  </message>
  <message>
   <source>{n} relations</source>
   <translation>{n} Beziehungen</translation>
  </message>
  <message>
   <source>{n} removed</source>
   <translation>{n} entfernt</translation>
  </message>
  <message>
   <source>{n} s</source>
   <translation>{n} s</translation>
  </message>
  <message>
   <source>{n} skipped</source>
   <translation>{n} übersprungen</translation>
  </message>
  <message>
   <source>{n} step</source>
   <translation>{n} Schritt</translation>
  </message>
  <message>
   <source>{n} steps</source>
   <translation>{n} Schritte</translation>
  </message>
  <message>
   <source>{n} steps around</source>
   <translation>{n} Schritte im Umkreis</translation>
  </message>
  <message>
   <source>{n} type left out</source>
   <translation>{n} Art ausgelassen</translation>
  </message>
  <message>
   <source>{n} types left out</source>
   <translation>{n} Arten ausgelassen</translation>
  </message>
  <message>
   <source>{n} unchanged</source>
   <translation>{n} unverändert</translation>
  </message>
  <message>
   <source>{server} has no language model.</source>
   <translation>{server} hat kein Sprachmodell.</translation>
  </message>
  <message>
   <source>{source}: notes whose links are read</source>
   <translation>{source}: Notizen, deren Links gelesen sind</translation>
  </message>
  <message>
   <source>{source}: passages a model has read</source>
   <translation>{source}: Passagen, die ein Modell gelesen hat</translation>
  </message>
  <message>
   <source>{state} ({n})</source>
   <translation>{state} ({n})</translation>
  </message>
  <message>
   <source>{time} left</source>
   <translation>noch {time}</translation>
  </message>
  <message>
   <source>“{typed}” searched as “{instead}”</source>
   <translation>„{typed}“ gesucht als „{instead}“</translation>
  </message>
  <message>
   <source>“{word}” in {field}: {n}</source>
   <translation>„{word}“ in {field}: {n}</translation>
  </message>
  <message>
   <source>⚠ also: {names}</source>
   <translation>⚠ auch: {names}</translation>
  </message>
  <message>
   <source>⚠ {keys} belongs to: {names}</source>
   <translation>⚠ {keys} gehört zu: {names}</translation>
  </message>
 </context>
</TS>
