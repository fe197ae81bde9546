"""Words that say nothing about what a question is after, per language (ISO 639-1), already folded.

They are dropped from questions only, never from the index, and never when nothing else is asked for. The lists are
short on purpose: articles, pronouns, prepositions, auxiliaries and question words. Beside each Chinese, Japanese and
Thai word stand the pairs that a run of such letters is cut into.
"""

from __future__ import annotations

STOP_WORDS: dict[str, frozenset[str]] = {
    language: frozenset(words.split())
    for language, words in {
        "en": """a about after all also am an and any are as at be because been before being both but by can
            could did do does doing during each every few for from further had has have having he her here hers
            him his how i if in into is it its itself just me more most my no nor not of off on once only or
            other our ours out over own s same she should so some such t than that the their theirs them then
            there these they this those through to too under until up upon us very was we were what when where
            which while who whom whose why will with would you your yours""",
        "de": """aber alle allem allen aller alles als also am an andere anderen auch auf aus bei beim bin bis
            bist da damit dann das dass dein deine dem den denn der des dich die dies diese diesem diesen dieser
            dieses dir doch dort du durch ein eine einem einen einer eines er es etwas euch euer fur hab habe
            haben hat hatte hatten hier ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in ins ist ja jede jedem
            jeden jeder jedes kann konnen konnte machen man mein meine mit muss nach nicht noch nun nur ob oder
            ohne sehr sein seine seinem seinen seiner seit sich sie sind so soll sondern uber um und uns unser
            unter vom von vor viel viele vielen wann war waren warum was weil welche welchem welchen welcher welches
            wenn wer werden wie wieder will wir wird wo wozu wurde wurden zu zum zur""",
        "fr": """a ai au aussi aux avec avoir c ce ces cet cette comment d dans de des du elle elles en est et
            etaient etait etre eu eux fait il ils j je l la le les leur leurs lui m ma mais me meme mes moi mon
            n ne nos notre nous on ont ou par pas plus pour pourquoi qu quand que quel quelle quelles quels qui
            quoi s sa sans se ses si son sont sous sur t ta te tes toi ton tu un une vos votre vous y""",
        "es": """a al algo como con cual cuales cuando de del desde donde el ella ellas ellos en entre era eran
            es esa esas ese eso esos esta estan estas este esto estos fue fueron ha han hasta hay la las le les
            lo los mas me mi mis muy ni no nos nuestra nuestro o para pero por porque que quien quienes se ser
            si sin sobre son su sus tambien te tiene tu tus un una uno unos y ya yo""",
        "it": """a agli ai al alla alle allo anche c che chi ci come con cosa cui da dai dal dalla dalle de
            degli dei del della delle dello di dove e era erano essere fu gli ha hanno i il in io l la le lei li
            lo loro lui ma mi mio ne nei nel nella nelle noi non o per perche piu quale quali quando quanti
            quanto questa queste questi questo se si sia sono su sua sui sul sulla suo tra tu un una uno voi""",
        "pt": """a ao aos as com como da das de do dos e ela elas ele eles em entre era essa esse esta este eu
            foi foram ha isso isto ja la lhe mais mas me mesmo meu minha muito na nao nas nem no nos nossa nosso
            o onde os ou para pela pelas pelo pelos por porque qual quais quando que quem se sem ser seu sua sao
            sobre tambem te tem um uma voce""",
        "nl": """aan al als bij dat de den der deze die dit doen door dus een en er ge geen had heb hebben heeft
            het hij hoe hun ik in is je kan maar me meer met mij mijn na naar niet nog nu of om omdat onder ons
            ook op over te tot u uit van veel voor waar waarom wanneer waren was wat we wel welk welke werd wie
            wij worden wordt zal ze zich zij zijn zo zou""",
        "sv": """alla att av blev bli da de dem den denna deras dess det detta dig din dina du efter ej eller en
            er ett for fran ha hade han har hon hur i icke inte ja jag kan man med men mig min mitt mot mycket
            nar ni nu och om oss pa sa sig sin sina ska som till under upp ut vad var varfor varje vem vi vid
            vilka vilken vilket ar""",
        "da": """af alle at blev da de dem den denne der deres det dette dig din dit du efter eller en end er et
            for fra ham han har havde hun hvad hvem hvilke hvilken hvor hvordan hvorfor hvornar i ikke jeg kan
            man med men mig min mit mod nar ned noget nu og om op os over pa sig sin skal som til ud under var
            vi vil""",
        "no": """alle at av ble bli da de dem den denne der deres det dette din du eller en er et etter for fra
            ha hadde han har hun hva hvem hvilke hvilken hvis hvor hvordan hvorfor i ikke jeg kan man med meg
            men min mitt mot na nar og om opp oss over pa seg sin skal som til under ut var vi vil""",
        "fi": """ei en etta han he ja jo joka jos jotka kanssa kuin kuka kun me miksi milloin mika missa mita
            miten mutta myos ne niin nyt ole oli olla on ovat se sen siita sina ta tai tama te vai""",
        "pl": """a aby ale bo by byc byl byla bylo byly co czy dla do gdy gdzie go i ich ile im ja jak jaka jaki
            jakie jako je jego jej jest jeszcze juz kiedy kto ktora ktore ktory ma mi mnie moze na nad nie o od
            on ona oni po pod przez przy sa sie skad ta tak tam te tego tej ten to tu ty tylko w we z za ze""",
        "tr": """ama bir bu bunu cok da daha de diye en gibi hangi hem icin ile ise kac kim mi mu nasil ne neden
            nerede niye o olan olarak sonra su var ve veya ya""",
        "ru": """а бы был была были было быть в вам вас весь во вот все всего всех вы где да для до его ее если
            есть еще же за и из или им их к как какая какие какой ко когда кто ли мне может мы на над нас не
            него нее нет ни них но ну о об он она они оно от по под почему при с сколько со так такой там те тем
            то того тоже только том ты у уже чего чем что чтобы эта эти это этого этой этом этот я""",
        "uk": """а або але без бо був була були було в вже ви від він вона вони воно де до є за з зі і із й його
            іі як яка яке які який коли ми на не ні о по при про та так там те ти то у хто це цей ця чи чому що
            щоб я""",
        "ar": """ا الا التي الذي الذين ال ان او اي اين بعد بين ثم حتي حول ذلك سوف عن عند علي غير في فيه قبل قد
            كان كانت كل كم كما كيف لا لم لماذا لن له لها ليس ما ماذا متي مع من منذ هذا هذه هل هم هنا هو هي و وهو
            وهي يكون""",
        "fa": """از است اند ان اين با بر براي به بود تا چرا چه چگونه چند در را شد شده كه كدام كجا كي ما من مي نه
            هم و هر هستند يا يك""",
        "he": """אבל או אז איך אין אל אם אני אנחנו את אתה הוא היא היה הם זה זאת יש כי כל לא לי לך למה מה מי מתי
            של על עם רק""",
        "hi": """अपने अब आप इस इसके उन उस उसके एक और कब कर करने कहाँ का कि किस किसने कितने कितनी की कुछ के को
            कौन क्या क्यों जब जो तक तो था थी थे द्वारा न नहीं ने पर भी में यह या ये वह वे से हम ही हुआ है हैं हो
            होता""",
        "el": """α αν απο αυτη αυτο αυτοσ για δεν εγω ειναι εκει ενα ενασ επι η ηταν θα και κατα με μετα μια μου
            να ο οι οτι ποια ποιο ποιοσ ποτε που προσ πωσ σαν σε στα στη στην στισ στο στον στουσ τα τη την τησ
            τι τισ το τον του τουσ των ωσ""",
        "zh": """的 了 是 在 和 与 及 或 也 都 就 吗 呢 什么 么时 么是 多少 少个 哪个 哪些 哪里 哪一 些是 是什
            为什 怎么 么样 如何 何时 谁是 有多 是否 一个 这个 那个 我们 他们""",
        "ja": """の は が を に で と も か へ や です ます した して する ある いる これ それ あれ この その
            どの どこ いつ なに なぜ 何が 何を どう った ため から まで""",
        "ko": """그 그리고 것 는 을 를 이 가 은 의 에 와 과 도 무엇 무엇인가 무엇을 누구 누가 어디 어디에 어디서
            언제 왜 어떤 어떻게 있는 있다 하는 했다 및 또는""",
        "th": """ที่ และ ของ เป็น ใน มี ได้ จะ ให้ ไม่ กับ หรือ อะไร ทําไม อย่างไร ใคร เมื่อไร""",
    }.items()
}
"""Folded as ``words.fold`` does, so that the question is compared in the form it is searched in."""
