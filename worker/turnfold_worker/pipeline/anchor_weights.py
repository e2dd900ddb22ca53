"""Weights of the anchors' head: written by `python benchmarks/train_anchor_head.py`, not by hand.

Learned from labelled turns of public talk, none of which is part of this project; worker/NOTICE names whose.
"""

from __future__ import annotations

from typing import Any, Final

HEADS: Final[dict[str, dict[str, Any]]] = {
    "work given out": {
        "act": "commitment",
        "bias": -3.44,
        "names": (
            "12 words|3 words|6 words|act commitment|act correction|act decision|act fact|act question|act re"
            "quest|cue asks|cue at once|cue by oneself|cue closing|cue condition|cue duty|cue each|cue ending"
            "|cue farewell|cue going to|cue i will|cue joint|cue mind|cue next|cue not|cue outcome|cue papers"
            "|cue past|cue perhaps|cue post|cue spell|cue they will|cue until|cue we will|cue will|cue wish|c"
            "ue work|cue work for you|cue you|cue you will|goes on|rule actually|rule advice|rule answer|rule"
            " assignment|rule availability|rule can you|rule changed|rule decided|rule done|rule duty taken|r"
            "ule exact|rule goes along with a request|rule going to|rule going with|rule let me work|rule let"
            " us use|rule limit|rule may i|rule meant|rule meeting|rule mended|rule mistake named|rule name a"
            "nd person|rule need|rule no to a request|rule offer|rule order|rule order under a condition|rule"
            " please|rule please at the end|rule preference|rule promise|rule promise of anything|rule propos"
            "al|rule question mark|rule question words|rule reply wanted|rule said wrong|rule state of a thin"
            "g|rule wanted|rule we will work|rule what happened|rule when|rule word given|rule work given|rul"
            "e work named|rule would you mind|rule yes to a proposal|rule yes to a request|rule you asked to "
            "act|share|went on|word a|word able|word about|word actually|word add|word after|word again|word "
            "agree|word ah|word all|word already|word alright|word also|word always|word am|word an|word and|"
            "word another|word any|word anything|word anyway|word are|word around|word as|word at|word away|w"
            "ord b|word back|word bad|word basically|word be|word because|word been|word before|word being|wo"
            "rd best|word better|word between|word big|word bit|word both|word but|word by|word c|word came|w"
            "ord can|word can't|word case|word change|word channel|word channels|word clear|word close|word c"
            "ome|word coming|word computer|word cool|word could|word course|word current|word d|word decide|w"
            "ord decision|word definitely|word depends|word did|word didn't|word different|word discussion|wo"
            "rd do|word does|word doesn't|word doing|word don't|word done|word down|word e|word each|word eas"
            "ier|word easy|word eight|word either|word else|word email|word end|word energy|word enough|word "
            "especially|word even|word every|word everybody|word everything|word exactly|word example|word f|"
            "word fact|word far|word feature|word features|word feel|word few|word fifty|word find|word fine|"
            "word first|word five|word focus|word for|word form|word forty|word found|word four|word from|wor"
            "d g|word general|word get|word give|word given|word go|word goes|word going|word gonna|word good"
            "|word got|word great|word group|word guess|word guys|word had|word half|word hand|word hard|word"
            " has|word have|word haven't|word having|word he|word help|word here|word high|word how|word huh|"
            "word i|word i'd|word i'll|word i'm|word i've|word idea|word if|word important|word in|word infor"
            "mation|word instead|word interesting|word interface|word into|word is|word isn't|word it|word it"
            "'ll|word it's|word just|word keep|word kind|word know|word l|word last|word later|word least|wor"
            "d leave|word left|word less|word let|word let's|word like|word line|word little|word long|word l"
            "ook|word looking|word looks|word lot|word m|word made|word main|word make|word makes|word making"
            "|word many|word may|word maybe|word me|word mean|word means|word meeting|word microphone|word mi"
            "ght|word mind|word minutes|word moment|word more|word most|word move|word much|word my|word n|wo"
            "rd name|word need|word never|word new|word next|word nice|word no|word not|word nothing|word now"
            "|word number|word numbers|word of|word off|word often|word oh|word old|word on|word once|word on"
            "e|word ones|word only|word open|word or|word other|word our|word out|word over|word p|word part|"
            "word people|word percent|word place|word point|word possible|word power|word pretty|word probabl"
            "y|word problem|word project|word put|word question|word questions|word quite|word r|word range|w"
            "ord rather|word real|word really|word recognition|word research|word right|word room|word s|word"
            " said|word same|word say|word saying|word says|word second|word see|word seems|word seen|word se"
            "nd|word sense|word set|word seven|word should|word show|word side|word signal|word simple|word s"
            "ince|word single|word six|word small|word so|word some|word something|word somewhere|word sorry|"
            "word sort|word sound|word source|word speaker|word specific|word speech|word standard|word start"
            "|word still|word stuff|word such|word supposed|word sure|word system|word t|word take|word talk|"
            "word talking|word tell|word ten|word th|word than|word that|word that's|word the|word their|word"
            " them|word then|word there|word there's|word these|word they|word they're|word thing|word things"
            "|word think|word thinking|word thirty|word this|word those|word though|word thought|word three|w"
            "ord through|word time|word to|word together|word too|word true|word try|word trying|word twelve|"
            "word twenty|word two|word type|word u|word under|word understand|word up|word us|word use|word u"
            "sed|word useful|word user|word using|word v|word very|word view|word voice|word w|word wanna|wor"
            "d want|word wanted|word wants|word was|word way|word we|word we'll|word we're|word we've|word we"
            "ll|word were|word what|word what's|word whatever|word when|word where|word whether|word which|wo"
            "rd who|word whole|word why|word will|word with|word within|word without|word won't|word work|wor"
            "d working|word works|word would|word wouldn't|word y|word yeah|word yep|word yes|word yet|word y"
            "ou|word you'd|word you'll|word you're|word you've|word your|words"
        ),
        "evidence": {
            "turn": (
                0.014503,
                (
                    "4*wfD^YI?}4g>8W{q_zi?Cu&65dH-5BT?%HP3jF1`wtl?ECm$_{QC%h`|AAn`WP+%9`yeE75@73^#Jq%01Y1d4gL+`0|5T_0"
                    "R8*z3iI_OJ`FGc02&ne`uP9`{P_L;{{jR30{i>_6$ttF{R92{0~H7m{{IH~{r~+2{QCX<|Mmg*{R{m2`TP9*{S^KE|NajR3I"
                    "Y25{rmm;{Qvv?`~Ct3`}+O-{`&d}`ve3K`~2|x{Rad6`~3#+`}+m`1Niv^{r&#?0{s33{QVC8{tEr}{P_z1|M~p={rCR;0|5"
                    "d44F3ZB=mh=x{RjUF{s|@o`TzF&{Pz0(`1|<``v?02_Xz&|{QC?D1p5mA{Qv#@{QM34{PX?)|NaR60{i>{1qJ;A|NR2|`}+L"
                    "|{r&v{{`vj}8~OkG{QmnC2LJ;5{r>#=`~Cd}0rva;`urCC{rmbA{QUd-`u+X=`~3w3|NZ{^{r~^_{sa5{{r&a`1O5K|{r&s~"
                    "5dHrL0sR^S{PzI;{rU$2`Sbk_1pfW_`ThL+_x%F<^!WMy{rUOz2MhiG3;g=}0ul!N{Q&&|{`@8f`~vv-0RsK}`~~{{`T+j^{"
                    "095_`vLv=1N;3L1q1sN92NZn{`~g-4+aAM2nGH93j"
                ),
            ),
            "previous": (
                0.01014,
                (
                    "`vL$G@DS|q3HtOw1Nj&!11$CZ>-g>d4lDTf|Mmvi<M<mD1pfvE{_E|3|M2woC;R^Z`YQhW@BaGy^Z)Pm0QDv^;Q#jwFY@*G^"
                    "Zozl*8u(b?i)D(01^-l_yzm`{tEH_`uzb5`ThO<0sZ>^{R92<0vi$g{{ja4{RIpV{r&y)4gCK4|Ns5`{Qds@3KahT`Tz<31O"
                    "@*7|NZ^^{rCI*`~ds>`~3O)|Ni|1{Qmy_2mJ>85B>uG{{H<8{QVso1N;5}{rvs>`ThO-0uu=T2KoH_1^Wm21q=TE`S||+{Qd"
                    "y{{QUd>_z3#?_yzwA|NaL8`~Cv_0QdF#{{;O0|NR{N`uO<&{rC$D{r>;_8T|eI{r&;>{QLm^{R9dA1pNI5`2G9?{rvp=4+H)"
                    "L{{8v^|NZ~|4EG58{rC9_2mSy2`v3p^5B>ZG1Mc?z{QUm@|Ni^@{sR6A2nYNB`2PF;{}TWG{|5d2{`>s?|Na5>0sRR1{{H^{"
                    "{Qvp{{r?#g{`>d){rvp;`~3+7{s;U0`~3y{2KE2_|MdL*{`~w6`}6qx0sj5`0UG`m{s0OB{`?F7`~&*|`}_p`{rvm<`uqO`{"
                    "`vg;3j!GZ{r&s|{QUU?5dQxD{tW{Q@%#M$01f>P^#"
                ),
            ),
            "next": (
                0.012139,
                (
                    "@d5z)_4M-;9uDs$@&)_l^Tq<~0rvm&{U!YUBJuYZ`~UU=0QUL#0P+I<{P+0$`S<_;`S}0y5K8^*^#Jw!0Ou_z=lT2S^Z*JD9"
                    "RB|F_wxRK@ErUA0Qmm`{{8_2{rdL)3;q)+`~DvJ3k3lE3H|;00sa2~{{;Q}{SN>B4FdfF{Qw30|Nj2{{R#aR{saI2`~3m`_y"
                    "_&|3;q86{s8p;_W}O>_Wb?*|Ni|4{{H;`{{Qy<2>$;6{r&tA{r>#@{rmp~{r&#@0sj&P1^)p52>AN_4*vxG{Qds_0sH>{{rv"
                    "g<4Ep*0{Qmy^1N!&{|NasY{QUs^2Lc8I0Q~y>{{H>`1qA;7_y`vR7XJMG8vOqM`w;~L{P_6){`v0z0sZ~~2>lQN|NH>``~Uy"
                    "^{{H|C{|Nv8{s990{tfvH{re34{Qv*{{r>$50`C6){r>*{{u})L{sjO0{Q(31{{Qy?{|x{C|M>L&|NQ^{{u22C3jh87{{H_H"
                    "{r~#?{rwIL|N8;_{`>g_`uzt2|Mma_{rUR+0|5N~0{Z>`{Q~^^1PK8L5dZ!B0sj2{{QL;`|Nj~O{QCb2{Qd#|`~d#_`T7k2{"
                    "sIFA`vU&={s{a70Q~(82Lk>4{}2EQ{{8;{2mk;5`~"
                ),
            ),
            "three before": (
                0.015369,
                (
                    "`SSfV{T1^H1`PN^0`L$D8vqgr0r4O4D+BiT`vVmx@(TzJ4*3EI{Qd=h{_Xn?1p@^D`56EF@csGp4F3c601F}u^#1ZE1?&h1?"
                    "Em~7+3)!P78nr#00;s8_zL_12M+QC{{sR7{{jX60R8~~`~v*{0tO2J{sad6`~U(4`vd#{4E*-_|Ns2}`~3d>00{j43j7290s"
                    "sB|{`>v<`TzR-`~Uv?`}+I)|NZ~{{Qdm?1^oK_2K@v61^)dJ`}_t53H|>N{rdg<{`~&={0a^J4*mQB|NH^@{0sg4{`&s?{`&"
                    "d;2mJm0`T_z0`2qR+{`?~e0SE;90QmL*|M~p<{{9C70{Qp;0sRLN`}_e26Z!o81^o#2{QCp{`~d|1{`>k0_5A(({s0611OEI"
                    "2{{H_4{{a8|2lxE`{r&t22=)U6`v3m@9{v0Y1qKKF0{{K~{{8y~{s8?02mSs23jF^5|Ns8{{ssXB{{#L0|NH~}|Nj2_{{8*}"
                    "0si{``vemP{`va*{rmz2`}zh0`~~<0`T+a;0|Ed2|NH;_{rda<1M~a<{Qmv>{}KuX{Q?03{re&P`vCz80Q~#?`~3U-|NaXB0"
                    "Qva}0ss>L`Tzq70R#H^2oe7J{s8<14g3B61q1y8^Z"
                ),
            ),
            "three after": (
                0.009481,
                (
                    "?e+l-;{OT`C=3CA)b|Vl8;c(Z2@4bo07wM(3gQ$T`zP}N@%{z!{q`cr{O$Sk@!|{s02u%BB_8)h-2m$F0RJWZ<u30GCH(~rE"
                    "B*W6@Avg8F$?|x03r<r^Y{`83IPiI2KFL7^ZO3<3<Ul61O55-1`hiO{rm?32^{?T1p4~&`tcg}{R8?2`w06a{0IE~`uGj|1O"
                    "N{E0{Z&*_xJtz@eTR@`S|(<{rdSB`UUy?`}_j<{rvO&`VIg7`uqa<{`KPi`uY3$_xub70R8^`68--4{R9E_{{{T~0Qda-`2z"
                    "C%5cdH61o-;*_!<57{Qw^e?g|9?5C1R)0r&Ux`w#v43IX~1_52qF3IGT63;q2200{{L_XhL*`y%c94fy%_0S6NW{R95^{r&v"
                    "){QUe1{`>w1`T7d}`}_e4^!Eu7_x}9)1pE39`ttw$1o{a6{0;yF`~C#{3i|;2{QUm<{tNy5{PPYJ{sjH}{R#IC4gLK9{R;du"
                    "0{sdA{rfEs{QUL(`}qG4{`2$w`}h0%_xAGw{{RgB`Udj-{{#5?87BM;|NQv%`}-RF2KNQ>{0k8P_XGU^{QCC&_yPL)0Qv^~`"
                    "ULwK^ZN(*_x||~0s{IGBl!CI{1f~b1`_@TEd=`y^#"
                ),
            ),
            "ten before": (
                0.010135,
                (
                    ">GJS2{1^Wf1|;Wy3FQV4B>3|I`~7PGAv*Z%5m^&U@fHvaJPHyO`RN=<{P73{_y_?211J9Z?fv@i1OM#~01pfh`urL+>G2)-6"
                    "8`!t((m;9BP$930QLnC?*jk-{Qd9!^#L6N_WuU}`2+?4^a1(({}&YZ4E_Q4^al$K_5}O@5&8S~{R93E^auR<0ww<a4EzKE3<"
                    "mrB0q_L)`1$<*_WuU|_x%6;{rUd(_Wk=01^WB<0s#8@3HtX11N<ZZ{r>$G`S$<#`}qp?_YWHT0`&s{{`dw8`vw01^7#n)|Nr"
                    "Uz3i$f_{rdt00Qvy-{QoHX_W%O;|MdL)0RI5{`uqO-0QUI%|N9IO0{8&~1oHX%{|5&8_yG?60tqMl{rLU=^8ES%`|uS25d``"
                    "X2>b^A{`LL(1N8m=`TqF%AN2(V{rvs~A^Q9j5%~uD1_S#2`TO}52>JO476AYI4gL1|{qg(!`~Ct5{Q&v>`}zh14*U`L{rma~"
                    "3jFp5_5KF|`Skew_yPh1_4OD3|Nj06^ZWn*0|Wv86Z`@D2J`d=2=e*+|M~d@`wjvE{t5s20r(vJ{1E>M_yGO+`0)V#0s<QR2"
                    "lW35{r?sL^!)k|3<&u56cYOR`~Cm`5(EYO1O@j9@c"
                ),
            ),
            "ten after": (
                0.009998,
                (
                    ";tl^u=KSX!CKT><{uKrmDK0P^`xYqz5P$LTARH<?2{;1^>i-Ap`UDp35C8iS1LofV{PF+u3pNNj-T(pK01F%Z0~F>k4e1LW3"
                    ";z1@WDM^M5d8%J0Q&#*_wf=A1q1~7{{0+4>jeS<4gdW7`~Ud&0}S^L{P+I*2L}NA`S}6y_38=q{R;j5_XGYN`Vs~E`1TG1{`"
                    "m;{0|Wo_`1}X;@DuX;2KV{|{r>bG{0sX3_5cj}0sr;~{s;a8{{R2>_5A4!|MvU<{`v(G{{jd60uKQ23i}BB{tfr}0Qmd)`2X"
                    "_u8}ShQ3JLW1^auwD{Qwyi?Em@s0{k2X3G?*$`4R*82J!U)@ev3B1o;5{01f>C2>%KV@&o$){Ra#D1o!#<4Gjwb0{adA`uh3"
                    "~{QUd|{sH~}1@{C2`3nUA{qhVA^aA_(3i<d30Q&^^0rvy``~mv=`}he03-$p3`uPg@1RMGR`}YL{{R8{^`vm<22>c5C`xp8p"
                    "`TPq20Q?FM`uFbm{PzJ0_w)7o_WbSk@%8us`v4FQ_4e@l{QvRv{|5a5{Q3a(0tgKI1^WW?`~MsE_WAt$`}^zq`v3g~5dQo0^"
                    "aK6~`}hR+`2G0}{`vt46#W17`WE*h0uTNN7z+6f>i"
                ),
            ),
            "thirty before": (
                0.004645,
                (
                    "+~3189309aN;=9_*~k}WW7*v6>ly{xE<)iJIDbOZ@IyKcXY(Kb@-O5=`|Sk?>;mop0W19Y{`dvxF8<L700ChP1NILl^vgKp@"
                    "&EH9<lg7*E_f3F01xTi=neqz{`1}Y_xL&T0Q3a>^9ukG?CSpc_ZS-I1qBrJ;{_cZ_7VsHJop;<`U(Ui?jHm9`d0k;4F>}L5e"
                    "@<K4&wpf`}qOy;QRsx`T6_$_wxnx_y_(7|M&j_`~d*{4FmZN`TH;S?+N}a^X&TW|Lp+n=@B*j_3Qi<4DTEK>k9+^^yvTX1Od"
                    "bPE8_|R{Okc1`}*eS_5eWg^!Ww*0rdj+{`2$m`Tqs)_v7jL{1XZj{qGS01^oQ<_z)uH0Qm*^5f3K*@bUZ}(E9NY5!m<o0r~k"
                    "N5B>KC``P;L1?l$h?g0J$E$R3V?f3QoGWqit3<U)35e@wM`u6251MC19JPP&o2k_JP{@3;I^#b($`2_R*^7{+<5BLJ)`TX$>"
                    "9rp77=lT5v@bmZe@BI7@`28pZ_yz(7-|_kS1N<QL1nv9+`Sbq;666W>`u6t?>jV7&0t*QC5A-zq{RsN^`2hU#_}~Tb6#_p5{"
                    "r>#~{{A8A^8M>36c_UOA`|oZ^!_OkKLG~!0RZ6r=>"
                ),
            ),
            "thirty after": (
                0.01032,
                (
                    "*YV{%>ILO7G&2z@I|dXaF;F)x^ax4$6o2I90x%{v4?p(=01z0|0U8$f1_1mQ4*|;n3;X}{8yEmM=KuNf0R15R0tM|Q_yjrr8"
                    "2<hAV+ryA_wWG#0Q3Cj@$(1$0s{p6_5~0!?fU`)1^fW`{R8^-{|5RP`~m;^1qA^6_xt_t`|Jbq{RR6B`Tqe9{TT=S0rv#^`u"
                    "zm^0R;T=`Tqd;^APp||MvR*{r>qL0txy3^#BL>0{!&>0s;d5`vC^}`2+0-{`ma;{rd<J1PK282@L`35&H!H015f~1N{2{`UC"
                    "a)67>xG76A47@d*X|{QL+F>izQi@9`4`1@!#@{Sf~81^n;(@(us~1NZg<{}1{D0Q?0B@&5q*`2q+40QdF+2L}ZH1Mv$G{QCO"
                    "~{QUO(|Ns5`3H1Z@`w#{E{Q3X>`ULy@0Q&V1`2PO)2L1f~{Qvd#`}GG21^N2>`}_<04F~%B`|<++{{;L0`u_L>1N{H_{S^8T"
                    "`1}I|{`?68{Pyzm`~L<B^zrfd_5=L#^X~fq_WKb61n=?s`Tg(r0|)*5{Q3Ly3IYcJ0`~m(`u`I4_x1e$3HtK-_x=3=8VdsT^"
                    "7#V_`}G0;_xkw@_yGL_69EGC`V0ai3=0PU5C{4K+y"
                ),
            ),
        },
        "directions": {},
    },
    "what a mail asks for": {
        "act": "request",
        "bias": -3.69,
        "names": (
            "12 words|3 words|6 words|act commitment|act correction|act decision|act fact|act question|act re"
            "quest|cue asks|cue at once|cue by oneself|cue closing|cue condition|cue duty|cue each|cue ending"
            "|cue farewell|cue going to|cue i will|cue joint|cue mind|cue next|cue not|cue outcome|cue papers"
            "|cue past|cue perhaps|cue post|cue spell|cue they will|cue until|cue we will|cue will|cue wish|c"
            "ue work|cue work for you|cue you|cue you will|rule advice|rule assignment|rule availability|rule"
            " can you|rule changed|rule decided|rule done|rule duty taken|rule exact|rule going to|rule let m"
            "e work|rule let us use|rule limit|rule may i|rule meant|rule meeting|rule mended|rule name and p"
            "erson|rule need|rule offer|rule order|rule order under a condition|rule please|rule please at th"
            "e end|rule preference|rule promise|rule promise of anything|rule proposal|rule question mark|rul"
            "e question words|rule reply wanted|rule said wrong|rule state of a thing|rule wanted|rule we wil"
            "l work|rule what happened|rule when|rule work given|rule work named|rule would you mind|rule you"
            " asked to act|share|word a|word able|word about|word add|word address|word after|word all|word a"
            "lso|word am|word an|word and|word any|word are|word as|word at|word attached|word available|word"
            " back|word be|word been|word before|word below|word best|word business|word but|word by|word cal"
            "l|word can|word check|word click|word com|word come|word company|word conference|word contact|wo"
            "rd copy|word could|word day|word deal|word did|word dinner|word discuss|word discussed|word do|w"
            "ord don't|word e|word email|word enron|word few|word find|word first|word follow|word for|word f"
            "orward|word free|word friday|word from|word further|word gas|word get|word getting|word give|wor"
            "d go|word going|word good|word great|word group|word had|word has|word have|word he|word help|wo"
            "rd her|word here|word him|word his|word how|word i|word i'll|word i'm|word if|word in|word infor"
            "mation|word into|word is|word issues|word it|word join|word just|word keep|word know|word last|w"
            "ord let|word let's|word like|word link|word list|word look|word love|word lunch|word m|word mail"
            "|word make|word may|word me|word meet|word meeting|word message|word might|word monday|word more"
            "|word my|word need|word new|word next|word night|word no|word not|word now|word number|word of|w"
            "ord off|word office|word on|word one|word open|word or|word other|word our|word out|word over|wo"
            "rd phone|word plan|word please|word pm|word possible|word power|word questions|word really|word "
            "receive|word review|word right|word schedule|word see|word send|word set|word shall|word should|"
            "word so|word some|word still|word sure|word take|word talk|word th|word that|word the|word their"
            "|word them|word then|word there|word these|word they|word think|word this|word thursday|word tim"
            "e|word to|word today|word together|word tomorrow|word try|word tuesday|word two|word until|word "
            "up|word us|word use|word very|word visit|word want|word was|word we|word wednesday|word week|wor"
            "d weekend|word weeks|word were|word what|word when|word which|word who|word will|word with|word "
            "work|word would|word year|word you|word you'd|word your|words"
        ),
        "evidence": {
            "turn": (
                0.022781,
                (
                    "^%N89{Nep8e=h(1@#6Lu-tg@L_yGRjBM1Bo02}h*ApQFd2NDkO1TZ5l@b?G<>#OJi75zNf<n9FlOA-(J`{ffN5e4t@_7nK^2"
                    "^KW}|NjF7@c{hx1Na021pNUK9RLji?gJJT0|@*b5C84r{^9fT5D5k&1r{^w>kRYu1Qj0k-3KZ63IiAF2nG@L6#wW9==tx+^6"
                    "A~_0{iz7>J<GG?(p^XJNN$+1r0Fy4*TKp8|(-3>?1oE8R-KE@et_;>If76{Q39o2o^00^ZfSyGWR#~1;@_}*)awi1{e7X=mQ"
                    "4?8wwl-`vczy5BdS!5CaGO2m1!(AtLhy2>%Ze4EF^7<pAgj7!wBa1^N;B|JnxQ0pb"
                ),
            ),
        },
        "directions": {
            "turn": (
                0.015589,
                (
                    ">IMB2^Gwe6237w4_Z~MD4<S2CW&iD_67O|4GxzcU3h+1rCEY~?(%lCI7WlVD(hC?}5Cjug+P}fl-eRC6BSGQk6!g=~I@zDg&"
                    "7mL8t~3TH2`eyF>HygW1p_Nk<>ngq9Q?cFwto}}V(rxej~W;g5AWjLMI;v=(e~j09Ut4(Cd?J2CFlSa<kte>RQ)F1JB#YP^w"
                    "mJ~9pf&=<25QK2u}8~3m*HtCecpeLLM9n-WL7!0}t^4O8@fj2MOI41r;6S58oO@A5jd}_W$AoyaYcX0Yv94_rVDO`1;20_#p"
                    "V&0oD@g-Rkky=EONYCu#2ZQ6DJ=8Zy-1`zJo_^sX`U&-v{X7sDIe*Xa`UyyNf;R1U)p#y&6v2I0j&%pKeu;v5$Y8}<+#cPR_"
                    "p=@7>9BDc=C@2kxKxDQo7;|UGf4Bo-q)E&&(s~GF;6P-!JGVKlpH7LSc=<V3H$p!Z9`WXcGXTuu~>-4Df8uBw4z6jG6APg6^"
                ),
            ),
        },
    },
}
