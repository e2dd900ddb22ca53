"""Weights of the anchors' head: written by `python benchmarks/train_anchor_head.py`, not by hand.

Learned from labelled turns of public talk, none of which is part of this project; worker/NOTICE names whose.
"""

from __future__ import annotations

from typing import Any, Final

HEADS: Final[dict[str, dict[str, Any]]] = {
    "work given out": {
        "act": "commitment",
        "bias": -3.75,
        "names": (
            "12 words|3 words|6 words|act commitment|act correction|act decision|act fact|act question|act re"
            "quest|cue asks|cue at once|cue by oneself|cue closing|cue condition|cue duty|cue each|cue ending"
            "|cue farewell|cue going to|cue i will|cue joint|cue mind|cue next|cue not|cue outcome|cue papers"
            "|cue past|cue perhaps|cue post|cue spell|cue they will|cue until|cue we will|cue will|cue wish|c"
            "ue work|cue work for you|cue you|cue you will|goes on|rule actually|rule advice|rule answer|rule"
            " assignment|rule availability|rule bare value|rule can you|rule changed|rule decided|rule done|r"
            "ule duty taken|rule exact|rule goes along with a request|rule going to|rule going with|rule it i"
            "s|rule let me work|rule let us use|rule limit|rule may i|rule meant|rule meeting|rule mended|rul"
            "e mistake named|rule name and person|rule need|rule no to a request|rule offer|rule order|rule o"
            "rder under a condition|rule permission|rule please|rule please at the end|rule preference|rule p"
            "romise|rule promise of anything|rule proposal|rule question mark|rule question words|rule reply "
            "wanted|rule said wrong|rule state of a thing|rule wanted|rule we will work|rule what happened|ru"
            "le when|rule word given|rule work given|rule work named|rule would you mind|rule yes to a propos"
            "al|rule yes to a request|rule you asked to act|share|went on|word a|word able|word about|word ac"
            "tually|word add|word after|word again|word agree|word ah|word all|word already|word alright|word"
            " also|word always|word am|word an|word and|word another|word any|word anything|word anyway|word "
            "are|word around|word as|word at|word away|word b|word back|word bad|word basically|word be|word "
            "because|word been|word before|word being|word best|word better|word between|word big|word bit|wo"
            "rd both|word but|word by|word c|word came|word can|word can't|word case|word change|word channel"
            "|word channels|word clear|word close|word come|word coming|word computer|word cool|word could|wo"
            "rd course|word current|word d|word decide|word decision|word definitely|word depends|word did|wo"
            "rd didn't|word different|word discussion|word do|word does|word doesn't|word doing|word don't|wo"
            "rd done|word down|word e|word each|word easier|word easy|word eight|word either|word else|word e"
            "mail|word end|word energy|word enough|word especially|word even|word every|word everybody|word e"
            "verything|word exactly|word example|word f|word fact|word far|word feature|word features|word fe"
            "el|word few|word fifty|word find|word fine|word first|word five|word focus|word for|word form|wo"
            "rd forty|word found|word four|word from|word g|word general|word get|word give|word given|word g"
            "o|word goes|word going|word gonna|word good|word got|word great|word group|word guess|word guys|"
            "word had|word half|word hand|word hard|word has|word have|word haven't|word having|word he|word "
            "help|word here|word high|word how|word huh|word i|word i'd|word i'll|word i'm|word i've|word ide"
            "a|word if|word important|word in|word information|word instead|word interesting|word interface|w"
            "ord into|word is|word isn't|word it|word it'll|word it's|word just|word keep|word kind|word know"
            "|word l|word last|word later|word least|word leave|word left|word less|word let|word let's|word "
            "like|word line|word little|word long|word look|word looking|word looks|word lot|word m|word made"
            "|word main|word make|word makes|word making|word many|word may|word maybe|word me|word mean|word"
            " means|word meeting|word microphone|word might|word mind|word minutes|word moment|word more|word"
            " most|word move|word much|word my|word n|word name|word need|word never|word new|word next|word "
            "nice|word no|word not|word nothing|word now|word number|word numbers|word of|word off|word often"
            "|word oh|word old|word on|word once|word one|word ones|word only|word open|word or|word other|wo"
            "rd our|word out|word over|word p|word part|word people|word percent|word place|word point|word p"
            "ossible|word power|word pretty|word probably|word problem|word project|word put|word question|wo"
            "rd questions|word quite|word r|word range|word rather|word real|word really|word recognition|wor"
            "d research|word right|word room|word s|word said|word same|word say|word saying|word says|word s"
            "econd|word see|word seems|word seen|word send|word sense|word set|word seven|word should|word sh"
            "ow|word side|word signal|word simple|word since|word single|word six|word small|word so|word som"
            "e|word something|word somewhere|word sorry|word sort|word sound|word source|word speaker|word sp"
            "ecific|word speech|word standard|word start|word still|word stuff|word such|word supposed|word s"
            "ure|word system|word t|word take|word talk|word talking|word tell|word ten|word th|word than|wor"
            "d that|word that's|word the|word their|word them|word then|word there|word there's|word these|wo"
            "rd they|word they're|word thing|word things|word think|word thinking|word thirty|word this|word "
            "those|word though|word thought|word three|word through|word time|word to|word together|word too|"
            "word true|word try|word trying|word twelve|word twenty|word two|word type|word u|word under|word"
            " understand|word up|word us|word use|word used|word useful|word user|word using|word v|word very"
            "|word view|word voice|word w|word wanna|word want|word wanted|word wants|word was|word way|word "
            "we|word we'll|word we're|word we've|word well|word were|word what|word what's|word whatever|word"
            " when|word where|word whether|word which|word who|word whole|word why|word will|word with|word w"
            "ithin|word without|word won't|word work|word working|word works|word would|word wouldn't|word y|"
            "word yeah|word yep|word yes|word yet|word you|word you'd|word you'll|word you're|word you've|wor"
            "d your|words"
        ),
        "evidence": {
            "turn": (
                0.014988,
                (
                    "4hI}L1@j*F4Fc^U{`L_m?Cu#84*vu3Bv9=IOz8~{`wkW+Dg+e?`t=BZ{Ql|t`1=|z02=iG{`(gG`1A8u^#TC$Ap7$P{tDy(0"
                    "RHv?{QK_+_4Xq~4lMux8WQ^Y`2Ys|`2PO?0t5X5`~3bD2l@E@1O5C169*6e{|EW~{{990`~Cg?_5t_(3;g@~{QUg=6aD@F{t"
                    "yic0s8*^`~CX-|NH&>{sIO2`u+U=`}+y|0|O8H{PO$#1_S;3{RZ*-`v(03`1u3<{r>v_{Qd;|{SN;A3jX)}`3eC4`TYI;`2P"
                    "I^0Ra9C{{#K#1pWH`2mcEG2qy*k|MvU*_WS?&`}qv}2m1u~2mby1{0j#J`wRd4|NZ^^{S5s4^!@+;{t5mA`}_d}1^om6{R8~"
                    "_`uzv}{`~^}`ThnO`TzR-{`(UK008^_{`~s<{rv?3_WS<&{1pEE`}!39{QLX*{r&y?{RIU7{r>#@|Nr~`1N;5{{q+a~{r>#^"
                    "{{03I{r?65{TT!N_W=F<`vwB}^!*M5{{8s*{QUd({Q~>-`1$_*`TF$;3;zEL{QCL=5eNMJ0Q~{}{3Zwd0{Hp?0{#5_1^fQ`0"
                    "R8^_2K)Q_0sZ*{{QVaN0{age6#W7I{PzA21p@vE1^xaE"
                ),
            ),
            "previous": (
                0.009995,
                (
                    "`T_wE@Dl6o2l?<r1Ns;#0xI<X>-OpY4lVcf0P+ac<N6#I1po#E{p#+2{{8Uu_xk(;0QfKd{`>F#`up_$?f3xvA~O8m|Mvqd@"
                    "$~cZ{r=|H0{!^%96bO45fKge1^fX13i1B>{s9a5{r&v`{rdg=1O4;^8WH^e0|xy41q~1V{r&X~{Qvs@0R8;@{r>(66#f7D00"
                    "{mB2LAs4{r&v>_xt_)0sH*>{QCR<{{060{{H?3{RaFG{sRC0{{0R7{T><w`u+j^`~Cd+{{8#{6AAwY`TYC^`Um+23jY53`2P"
                    "O<{Q&>`{QLj;2>SZ?2mTEI{t5#7{sQ~}_xAh$1pNO0{TuxG`1t?*_zVmF{{Q?L{QUj>{s8y<{Qv&_1PT5F{rv{`{rm#`{QUe"
                    "51O5d5{`vv`{r~+7_X+#`_xTD4{r~*>|Ns3D{rm<4?)Lut{Qmy`{`>s?0{#jI2m1f{{`&s^694`F2mSs2`~Cj^{s8p>{RsH}"
                    "{{H^_|M~>|{}~ki`}h0({Qdg-{RssA2mAf|{RI35_5c0<^!)w){QM34^Z5J%{{8y_8~zvm0SN;B{0;y71O5T}{RRE~{QLa*`"
                    "~L<0`ThI~0vP`N{rm;}{P_bA{r>*`4+IPG`~3d{4gL=H"
                ),
            ),
            "next": (
                0.012134,
                (
                    "@c{q=^!4)@91!m#@&@|m^2q<}0`~p${U`kVAoTbX`2h6*0QUI!|MCL({QLI!{rdL;0Qva<|ML(|{p|Js_4EMwCMf>q`TOtm0"
                    "Spu!{{Hm#^ZkGB9sB?Q_W=R^{s9C1`uF||{Szwt{vG)X1^@jB{Qdd?{r>^~1pWK{4*&fM0{sE~00sR2{{H>_3H=xT1ONa0{Q"
                    ">{^2L1jD{r>&^|MdR&0sj5<{Qdp^{{062{`~*`|MvX|{{H{{{rnOA{`~#@`~L;~{Qmp_{}KiT{{jC8`1<}0{{;Q~{r>*}`~L"
                    "s^{rUe4`uYC-{{H;~`S=9?{u2@V{s8?40tN#B{QCX={{H?21^)i`2Nnbu{`>tH{Qm#@4g~`I_xJz)`S1S${r&(5{SX2F{Q>>"
                    "^{{Q{{{{RjD2><{70RjE~4EhTF`wRa3|Ns5{{{9I9@BjY&{{H{|8T|eJ1pod10R#U2|Mvj@3jhEA`1t<+{Qv&`5%~cM|NZ{{"
                    "{{IvG|N8y?{tXQO`vCm@{Q3p@{RRU6_5lL@`uqI@0Q>&}`u+d?0{r_02m%KZ|NZ;{{{8;^{0R8}{~G@M`u__2{sI5|0RH{>`"
                    "V9d70s{v80{-{?2mA&9{rwLH0{#5|5C97P{r&$20RQ~^"
                ),
            ),
            "three before": (
                0.015484,
                (
                    "`SblI{1x&E1`G8<0`L$D8UPRs0`MO3ECcrU{Q?&y@eK(N4fz2F{Qd`j{{HRz5BUTG0QwmJ|NQa&`SJ|@0`~y<BMbfY{__|F>"
                    "<0$z|N9%-@c94^77_pe2?GB23j6^E4f6y40|Ep80tWs7{s8~{0{#C21`7cG1P1*400IU41N;CB{P+3)0Q~^_{Qms_3H<&E`~"
                    "&_0{{8*_`~CX)|N8v=|Nr~^`uzL<{r~;^{r&z0{QCR`{R935{{0d9{09aI{QwaC`u_a>{Qmm;3Jv}a{rmy|`~vy?3jO{5`Tq"
                    "U>`}zI{{Qmy?0s;Z~0{Q&@{3Hnh2n728`1Sz*`TYF;{RaX9`S<<+{09*H`~e3N`ThL`{Rj8_`vd>|0R{g4`}+y@{r&v@00RC"
                    "3{`~{~{{II50RQ|3_x%0+{rm|C_X7j^{{H<P{rm|91qb~C|NZ{{{rd&}|Na99{r&z5{r&#`|Ni{`1_A~D1O5L0`~&>}{{H*_"
                    "{r&<0{`&v>1QG`R`uh9*`~n2~`UV622Kfd00Q>s`0ssB~`vCp@`uqL^^ZWt){{8#^5()+V0ssO1`yu`N0RjpD{rmm={QLa>{"
                    "tE#B`S}R~{}TZF00RmE1N!+05dQl90sRFH{Qdq00{sH?"
                ),
            ),
            "three after": (
                0.009121,
                (
                    "?DPQy-Twv*C<^|6()SJh8H*hZ3Je$v07?Y)5aJab_bT!K^8N?%{P-us{P*ek^zz{k00J8S|M4jx_C?$O>E-|!ApZ8_E$;#+{"
                    "savz{rlkX>GmxL3;qBABo7Gk_!9{V0tx#D^&~*@`w#UD1^xE|{rdI>4*LoH{09LE9sK$N`}*?x@*DR31NsH~3Hm1d2>kr{_z"
                    "wC6{|@^C`ug|w_Wk+s4f+1~`1%9=`S=<72KoK^`~mm={PX?#4FLZ7`vUp@^yB^d`TP0z`wRvE{r>$D{r&U(1p)T|1^oK~_Wb"
                    "<$0`dG1_W=C`_xktv8T|JB0U!+R2?O~L|1kvt_V)Ap5B~ZK0r~s&`xpfb00{I7{QUa>1_=W91@iv;B<%bR`1$z)2NMPT1pfH"
                    "_{rvU&{rn03`~C;{`3nB~`~nN}_XrX8{rvd^`}qy~@c;Y-`Uw8~4gduE{sjCB`vCj={Qvv@3jF;1^AQyO1pNE`3HJ^T{rv#_"
                    "3j8+${Rsg6`z{gu{Pq3&`2P?7^78)s_xt+y_VWV&01W^91@is>1NZqFC;bco{P^|z`x^WP_XP6%3lahL1N{K}`t|+y0{Zy=`"
                    "3C*^1p6BE`v>^<{rC?80{Rpr`1<+$6#N<o68!})1o{v3"
                ),
            ),
            "ten before": (
                0.010269,
                (
                    "=<@F=`xXHd1|;Nv3g!k9C-?FO`~7SGBRBW#5nUEa@)-^dIS3FG`RyG^{rvF=2lWU500Soe{`v0x`|bq)>=6L=4G#(W{24Xr@"
                    "E!OO{`n@>@AUf>DGC4p_688|0{{N~{PF$v0UZSP{|5m01O@>00Qvp@7Zdpm{sH#&1quxI1pEOK`TY0&1O5*52K@U1B>w#i`~"
                    "?9E1^fH~@dWtz`uzX)00;m0`v3j?`u_L!{re6C`uq0+0Q>t1`uGL|{38GS{{9vD_W$_%`3d&+4;lLc^#cL__y!951^@r^`3L"
                    "#_|LXk;`1||*`vC+1`v3R*|0(?V{{s2{^!)n(|Nr~?`~Lg?_W1k%`wI^O_yPk1^7;G!2L}510S)~D2`2pg`2GL%{Q3d=@e}|"
                    "N1p5&O{0090_Wk+;^!)w#{rLGE^aTX{{Qd+W`ur0R`3C$30{Z>=`}q_I`T7VI0RH<7{Pp_%@%#My{sIU60Q&v=`UV3I{1Ev4"
                    "`}+wB{PzX*{s#j2^!fbw0s{l}^%wvD|NaN_`~Us}1OWgP`~mw0^YsP@^7;G!`S}F;4FdxH3I6#3_#OTH4gm@H0Q~y+@&En-0"
                    "vY@U_5KO{{}urC{Q40L2l)3B68ic30099J0|fj81osE="
                ),
            ),
            "ten after": (
                0.010286,
                (
                    "<O~2o;{5C(C=={${uBolC@U@-{TD0*4uA3QBOoa}2sQ!<?*R$z`U)uR4*UQ65b@~Y0R8j-|MLtp2RGjT0^b1s8~gPG66h@r>"
                    "kA_a{`&J`2J;O5{sjO4`vLa%@(>LL0|WX0{Tn^(1_A;N0R8;?|M>U=3-}KF`2PC_2LSu|`T+9w>k0Jz3jO}~1O6QP5(WGC_6"
                    "`L7`3L#}0{`^*`v&&%67u^6_xl3<{`4LF3i|){01Wy8|M&;~2L1#7|Nr;*{pt+=_WS_-`UMdG0tWp75C8EA`w9I14EXr~`1|"
                    "_#|MT}6@(}zA2=)2&2nY%N02dVO{`vU>{2K-c^z`@o5d-)J^7aAo4+sDR`2qd^4gLWL{s|270{Z>^2MqiK_xb(}3=01N`wjm"
                    "3`}+?3{rm?00{s95_yq#`3IzcD^9v310sH$3`uPL_`vmy`_yYd?0r~v<_z40F_5lF<`3m_18TtYI_XPv}1N-~?1pNdE{0aU1"
                    "75gRm{0aa7{0a~H`0w}p_yGy{^Y;7q{O<Pg_V@t%01yrL_woDu|MB$y2L1v4`T_L<2MhcK`~vg){~GuA`TYF+`|SJr0R9FK{"
                    "`>Xy0{#j6_yqU({rL?3`T+|Q{r~m)755_p4*v!h3HS``"
                ),
            ),
            "thirty before": (
                0.004763,
                (
                    "+u*||6&lYTMm5J&*~=GbV%OO6>lz2$FFfHED}P1S@<uldU-BOO@;2x}`}gt%3f~0l00Are{rLa+2IegN(ii~nV+$Sw_6;%b!"
                    "8Gdh|MDN{+34>XauNUl4(r|N4FK@|^W6LQ_&D?c^#uI#3IP%9>;C!o7a8gW1r+q;0~{Oo5eNY~_!{{73j`zX9Rv6KRQvf22L"
                    "%2Q4gvHH;{oFP`2z6a{sRU3`1|_!^ab|#2L1^D_x}O?0Ra6B0{IO2`!4tI2>&Yd?fdWl?f~uS5H$Vt>--fB@EZN>3j+T1>i_"
                    "Np0LJ?$<O%`+>;M$|`{(NS073Nh`2_m`^#b?(^z!ui{{`^(<m&nR5(*Oj@Dc$9`~3Cz4<Y9O`U3h84kG^X^86ju`tc1B+xPq"
                    "e`1&FZ{r3g?-1_bX>G$vN0Q~$Z>G=)q_xArU`t%kI0|W053;g^0_U9`D?Eo4(3H0>`@YMJI+V<}C0`>j*1@!&%`waRI_yXnm"
                    "{PGPO_VNDc`uzp*^!D}e{QV90{U`(Y2muD*^7{G%{2=uP?)(Ay^8W@A<OlZp_V*3y0{{R53<mcO^fmnb2>tl_|NQg#;RW#%0"
                    "z3u${rm*}{vYb`{_G|c7W4Ta67%}?0V@(d{|5I00O9=V"
                ),
            ),
            "thirty after": (
                0.010662,
                (
                    "*Yf5u<^$|BF)$4!IRz6TElxEn^axA&5r5_72Qwo!4m<b-1QHq60TU|s2K@p27Wx9s01Ny6|MVIc05<0S`tAVrAN&Xd1@0vI1"
                    "vUv7{{8h~1oQ&q@&Nz<^Z)4a^9TI`0|Wf`1Q0Op`~m|7{Q&v>1N!#=2KyKM0ss001pxc^`~C6z?E~`t1^Wv5{{asD83+9U_X"
                    "Pa<{R8^}1pM>*{{Q&&5BCE9_xk<)|M?vP2>Si@00;O2{q_I?0s{W~0SEj01Mdg^`27C-`v?yM2mbsC4FK#A`vm_13Hkd1{QC"
                    "g<1NHk6^$YtH0QURx2?hN9{09x{{qy?p@)8CF_5J_;5B~ZE{P6qp4FCQF_xA$-5BmcE`vnQ|{{a2@0tx^C`1b+_1_b>B@e2?"
                    "9`uq$0{r3I;0R8+3_5=3&4+Z`F`Tzd<1N-~|`}Pj`{{Hs{{rvs>|MmC#_6G?C`uh9){0saH2m1T_^8)|>1pEK`{`dm}{Qvp="
                    "6Z#SP`~n01{0Id6_ww`m{{{&4@$>oi1N`&!@B9Du`w#*J@ACWk{qXk#2mbv1`uy_=0tNsA_x$(z01@{1_5A(_`t$qv{rv$M3"
                    "Ig`?`2q_2_5uI*`}hj^0R06L0Rr{<3<4tz3J3rX2l@fs"
                ),
            ),
        },
        "directions": {},
    },
    "what a mail asks for": {
        "act": "request",
        "bias": -4.11,
        "names": (
            "12 words|3 words|6 words|act commitment|act correction|act decision|act fact|act question|act re"
            "quest|cue asks|cue at once|cue by oneself|cue closing|cue condition|cue duty|cue each|cue ending"
            "|cue farewell|cue going to|cue i will|cue joint|cue mind|cue next|cue not|cue outcome|cue papers"
            "|cue past|cue perhaps|cue post|cue spell|cue they will|cue until|cue we will|cue will|cue wish|c"
            "ue work|cue work for you|cue you|cue you will|rule advice|rule assignment|rule availability|rule"
            " can you|rule changed|rule decided|rule done|rule duty taken|rule exact|rule going to|rule it is"
            "|rule let me work|rule let us use|rule limit|rule may i|rule meant|rule meeting|rule mended|rule"
            " name and person|rule need|rule offer|rule order|rule order under a condition|rule permission|ru"
            "le please|rule please at the end|rule preference|rule promise|rule promise of anything|rule prop"
            "osal|rule question mark|rule question words|rule reply wanted|rule said wrong|rule state of a th"
            "ing|rule wanted|rule we will work|rule what happened|rule when|rule work given|rule work named|r"
            "ule would you mind|rule you asked to act|share|word a|word able|word about|word add|word address"
            "|word after|word all|word also|word am|word an|word and|word any|word are|word as|word at|word a"
            "ttached|word available|word back|word be|word been|word before|word below|word best|word busines"
            "s|word but|word by|word call|word can|word check|word click|word com|word come|word company|word"
            " conference|word contact|word copy|word could|word day|word deal|word did|word dinner|word discu"
            "ss|word discussed|word do|word don't|word e|word email|word enron|word few|word find|word first|"
            "word follow|word for|word forward|word free|word friday|word from|word further|word gas|word get"
            "|word getting|word give|word go|word going|word good|word great|word group|word had|word has|wor"
            "d have|word he|word help|word her|word here|word him|word his|word how|word i|word i'll|word i'm"
            "|word if|word in|word information|word into|word is|word issues|word it|word join|word just|word"
            " keep|word know|word last|word let|word let's|word like|word link|word list|word look|word love|"
            "word lunch|word m|word mail|word make|word may|word me|word meet|word meeting|word message|word "
            "might|word monday|word more|word my|word need|word new|word next|word night|word no|word not|wor"
            "d now|word number|word of|word off|word office|word on|word one|word open|word or|word other|wor"
            "d our|word out|word over|word phone|word plan|word please|word pm|word possible|word power|word "
            "questions|word really|word receive|word review|word right|word schedule|word see|word send|word "
            "set|word shall|word should|word so|word some|word still|word sure|word take|word talk|word th|wo"
            "rd that|word the|word their|word them|word then|word there|word these|word they|word think|word "
            "this|word thursday|word time|word to|word today|word together|word tomorrow|word try|word tuesda"
            "y|word two|word until|word up|word us|word use|word very|word visit|word want|word was|word we|w"
            "ord wednesday|word week|word weekend|word weeks|word were|word what|word when|word which|word wh"
            "o|word will|word with|word work|word would|word year|word you|word you'd|word your|words"
        ),
        "evidence": {
            "turn": (
                0.022912,
                (
                    "^b-^B`riF2e=q<1@#FRu-0<!I_yGOiBM1Bp{~Pk<9{u_a2NDnT1TP{i@cIV>?(wPU02TW@+U4;T14`@?5B~h<79kJ?@9p&y_"
                    "x1=CGyebo0tN8_{`La+1Of&80TLVk4Fc{178C;r`y3Dd?co05_3{u11|bC&GVAIM^Y#N29`@Y^D)<Ql7wQKE5cU-Q=?&=l@5"
                    "u7$+~@-O_Y&$9{1Wc)_4PXV022idF8K}n;qV;n2lVSAIv5$~0|)aE=?Cfu694=8_U#B2EeiJh_5d>XH}eI@(GS@%1{($z`3d"
                    "L)2?ZMr8V33V-v|%-0p1S-2>u892jw6k^9Bh24-gIa1OVj$=m{GW2J;5`5&8ew2IB(b"
                ),
            ),
        },
        "directions": {
            "turn": (
                0.015734,
                (
                    "><0W3^h?h722ue3`5-nF4k0>EWdiP}6YX&}GWGQU3hXxkCf`N^(%J<D7x}nH)C&|^4+0Qa+Q7fm-eaR9CP3cj74y=}I^3bl("
                    "4!sCuP_KG2rMyF?E=~g2Lmcl=;R&t9s9fAwSN%`VC~fckQo>i4e#aKLM0j>()Qv29Uk1&Cd?A0B<KMW<kbV@RsAF0IF9VT^4"
                    "2}{9O5g-;y5iP2~G8}2_F2uB-2jcLL3_i;1~J$0uu54Nc{8c1qt020~Q_T4d5C@9#IV1_5tGqyahfX0z&61_{0eS_xs24`5^"
                    "S$0ofGn-0APt=fpNSC}!~XPar7;6fxD{`zSr__pmSZ&iU{X6~!Lj+3ODVzT)o?RS(1q$UHCt1>eR#%N^Vu;T#qU9P|zuc_|F"
                    "w?GVNCAGyxB?ykuIyAV@9<p>Sj3f{op)f&s&sTb?+6`o1NHti1xH6_GZ=<V9J$OQK7`xpiIWyTy2?)9qj9P%<6y$aJ5A`KL`"
                ),
            ),
        },
    },
}
