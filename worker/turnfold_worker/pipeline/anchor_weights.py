"""Weights of the anchors' head: written by `python benchmarks/train_anchor_head.py`, not by hand.

Learned from labelled turns of public talk, none of which is part of this project; worker/NOTICE names whose.
"""

from __future__ import annotations

from typing import Any, Final

HEADS: Final[dict[str, dict[str, Any]]] = {
    "work given out": {
        "act": "commitment",
        "bias": -4.19,
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
                0.010039,
                (
                    "6bmCo@$Mz~69eiX0QVO(>gE~|3jq=FEN<-rQ|=HJ{|*^0E(RV9{P+uh{OJ7o_!Bb#9q<176#e+~^8oP!023<!8T}OA3;zE0{"
                    "Qvys2le<QM-wyv02~wb_U-`^_v{Dz`vVO74D<H<H5Kyi_YC*=2QCpH`~DE``1<z=`0)7o{^|tm`5XB2?)CTf`YZVL{rn*w7X"
                    "0`6`tbPj_5$?z^7;b|`1JYn{P*!1@(Kzn@B88R`wtBI`}Pp!_Vx+*3hwv~`1twt1NQk4^!6J2{T}x0@%0o4_w)Js`SASr3;+"
                    "ZA82btN$p`oF`Vs^d`4vYG>iy>O^6d8j?Dp;#^b7F@><{|)^YtDK2J{;N^8WYt`1Tw5_2L5j01goR2lDs_7z_9Y{rL*^^YQo"
                    ")`26<({qXw_J@N+e`26@O4F3l8`1|?r_WAe~0p#`g_V+pY`19~L`S$qm^!WVv_xK9~`~Up&`T_m#`UUs<`St4*4)*-_`ug?-"
                    "C;R*o2KX=o_wNPx`11_`^Wpg*3ikQ#^!N7l?D-Az;_~kL`tS1Q6BGOV4fpl*1}X~m`u+R>`SnB)_5<wk1O)r|^$hR*^8g0>^"
                    "A7X$@c{Vi1NHbd2mbacG&A@D`}F4YBMAoi6A=3T3;"
                ),
            ),
            "previous": (
                0.00597,
                (
                    "_5%Mk?g;Jm5&P$30Q4py1S#_b>-G@=7C7+p68;bB;QARS1^o&K{O#y}|Lp+wB?1Qk_Z$HH^#A$y?f>uf0QfI6;Q;j%LFo7U^"
                    "!)z$;r{yl4>maf01+D$>K60>`U>y)^aK1A?D+Wi1NZLv^$_~&5=1fR{Q?Z^_zWK*`1beX8~Oe2|NQs$_4WJs7cKz$^!^zA6&"
                    "?Eg`}p_s_4D)i_5t?x_ww)c`}+70^ZNSw74Z%DCin#Y`~3MJ_xVCY1@QU``11Gq>G${h|0Wjv4DIdq3ik}<3K#nL?(h8k_xT"
                    "3>?eOvb@(c0o=?wl8|NABd@caq#`t0cO{0sH^`1fM`@a5_I_wN-Y`T6|zH1hWO_WJ?n`1<$#`4t%Y4fgXF?f3i)`||tuFAVw"
                    "*`uFJ!{rLO$8}1nJ_2%yq3-tT-@%#MtBlYnO0@B|3^z``r{rU6t`v&?H7YgwF_WSwy{!sk)`yu%C`|tey`}+gm1o{%~_xt+;"
                    "_x<z=`TQv|`10cJ`1kkg^Yt4J`V{x|^Ysw;5a#~(1L5%Z`SSHA^Ze=a4Ep%<{4n@C_y!gL`S&CH_6`31?(_!y^78if=k5R!`"
                    "R?}h7X(NB`uFq-`0n-(K=Jzc_#qDw*6{NC7aaE>^#"
                ),
            ),
            "next": (
                0.008823,
                (
                    "^#c6(_4oA}A{6U6@&x$h^T+=21@`~(11J3Y9{c$Y`2P0*`}6ek{`CXx`}qL<_WJ+;{Qds)5=s2-^8obw0PQU#?EC!i@&OSMC"
                    "H(#N`SARI-WL1-0Qvt3`~3d}`}gYn8~Z9x^Z88h8VddT5%Ko(0{8q0{sjW_`Xc=HA_n>h`Tq_1{`dU#{1f~u{RI8}`1u3=@e"
                    "cR?8TtD9`1|Jk@d5Yw>-qBf{`&d_`}_F*`~Kwk6#V=D`u6rJ`}y?w^Y;A-`S|_&1^Xry3;hB94DjyyCHxKe^!fY!1M>U*`}X"
                    "nu8S?M@`TYC&2mSI1{rVmx`S}3)5(pXw{q*zt{rUO%0txy4?h-fxEd2QIIQ9Mg^d<-j_werh{PN%Z2m1a04EP}Y{`Up?_Wb_"
                    "z{QUtK{uccG`UC*_`yBET`tln5_x=9&_Wbx10qXbq_xt?+{5kaY_znB@`~L*~{QT|${T}`N{qXAf{q+6({3iDT68-x9`uzSX"
                    "`2Fwq`}`Fi{q+L({P+6^^8644{^|n+`t|bo3IFx{3itZ`{RjH=2>=2PBL4gP0sZy)`1KO){{1WZ`1Jl2`1uR|^8fqy_3<M5`"
                    "vVCH_6Pju_zw66{`mJ400sK>{u}-q_4xMw3;z7_`2"
                ),
            ),
            "three before": (
                0.010286,
                (
                    "_3-&U`VRCB1rh6B0`L<DAN3Co0`e*LFADPb{}2`<?g|AD4EF*E`u_!g{_Xw@0s#a7`waj5@&EYq2mc5701zGu^#1ZL2j>k1?"
                    "*08E<M8<f5grZz015^G>l*a_6d3IY{t5#G{s|8H|NH{~_67O^1QQ+o{RR;A^#TJ2^ab?(5cufs{QUO;_xAbt{SNi`8TADG0s"
                    "{H@{PFeh?gR4m_5J+w_w)Af{Q3O&^!oVw4fXW(4EG584g2^b^Y;i37WVul_V4=m`S$<t^baKZBKY$M5cvh}^cea0{PX+v{qy"
                    "nt67>1{0RjjF@BixW`}SBD0UQkT{p#)i{`2(m`S=t94esgs1osLe^z{TACGhz94EPr1_4EV%_Wlg}0rT`2>G$~c`vD613;Xy"
                    "F`T6)0{rvp$3hVj$_w@S_3+D(6@B94rM)&m;4-EzP2><u__xSP;`~3R`82k476Zrl4{0RB=`4$Ec{0jN}{PhL({`>j#`}z9="
                    "1N-v+_6Hsc`0w!W`1b_~^YIb|^$_k4@c;Jl2Lu240QCF#`0n!j2IThs`}p_t{v#U=`3VIB`SnTo^#%qO{`d6x?)CEW{QMvX|"
                    "L^b<0st)m^ZyDE0tfT=7AE-c`2q9>CiM9G69M@E@c"
                ),
            ),
            "three after": (
                0.0067,
                (
                    "=JNU&-uMR~Cm9A_+VTej6P_0h0S6KZ21)+&1?LSH^C9^J|M~>=`TZ-${rvj%?&t{s{ty1{9v$^9+W_k70RAQO>?Q9U81)nvF"
                    "8ur2?(_CHH52{-02vDe-|`|A77P&e5#mdK;_M;j5)1e71@7|c2P5$g^z#=29ZUA`2JY_Q^4T%!`~>k1_Yd<__73&+@#+`!4*"
                    "V$g|M2qZ?dbjQ-5~G&^YQEs`S$QF?h5nt^7a1g`u6Dg^Bnr~^7RPr_UG*N^YHoe>hl>A`}hC)83Xv@{s8*x`3Lp&0_XGf@c7"
                    ">MC+PY35cKfo>p%MH_5e8-+8_q?DgkB%1nBJP^(*)B4*Kr(<@qQC68{g|A@%n3`x6ok><j1l^HT5kDD3q00TU+-_yYat{QLI"
                    "e_WAP``TF@4@aqoy@%9A|>+BLT>iPQb2lMYC_22~a4e}fO_96ZQ?fwV-4*2`{_x1Pk`YiYL_T3;Z`wRE?_Y&zA8u|JF^%D1D"
                    "{rV34{Pt2Q_xI@f^zi~7_2%XL^YQNV>+#_K{`wjQ`3>Os`v~s!IX&<m`1$ec^7cRT59S5j^dler>J#_{`tRcS?*Z}b_wo_*@"
                    "(uVu<Mk5f?)mQ`0{!q9H0$#1^&j^=3MlvrRsQ%B?f"
                ),
            ),
            "ten before": (
                0.007416,
                (
                    "=kV=F`wsjW2`Aux4CM+77WViR`vF}7CP((~8cYvE>Jc6jItURJ`SBc4{`m?7`2+j_1seYO?Ed}m{{Qd`01E~V`}`ME?(8A=3"
                    "jO;e*YfiQ95W680R9OO-2wdg`|#cM=mR+k<^Bx+?F<G0<^1&g06a178u|X{<_#1T=L+-!7Vr1!`UU$R=?(Vs149Dz9r^<U9u"
                    "xHR0N@7f?e_ox?*9q<@%jJw_wo7e=K1&{67clv0s-{#7xn824E0U^`1tlN@9h5R@$4At<smxs1Ly?+2kZ|R^9lX{;`9{m{r$"
                    "=J73ul%74HQL0`T<U_W4xx>jMSr{p$Jj{ssQ{^7Q=k0OjlT2J{sn0_y||2k7wf{Sgf6?gJ?L0u^TU{_Xk#=l1Xa_S!Q3Dhl!"
                    "{5%mc9{Ob4b0p$Ds@AdEVN9YU+`1AV+Meg$`DE<ob3kvZ0>-6d=74Y*AEd~Db6#MP*_xJPn@calA_yh9!@$wD;81*LZ`114?"
                    "6Zhs3=J^o)>fr0@>;(l1>fkl}{rdV4-}V3e1`7!PDfa*J4By)k6W;Og2<_|%^%w*J`xXi51oJTX_9g)f?*RMo-`oN7`wT$(6"
                    "6F99`1&yf<o5F%7!mC6F(&Tv^acL=GYSp%4g&2B?*"
                ),
            ),
            "ten after": (
                0.007954,
                (
                    "=MDi<<oN9!BM|my0}lol7%D3s{1Ybs6m0VD9uz7w1vUm1_5um-`2-m73k&@Z1nS}d0`dRv4=w{L-~a{V00ScW1P<ys4Ce|T4"
                    "gUM|Rs{78Bme>c0Qdp(@#Z5Q2@ePG|M)w9(+&Xx9sT$G^!o1V2Oa4h^y~oj6dC{c@9F~J=F1S{`V{^D?*afs^Cc4Z>*y&3|L"
                    "+#`0|ox&@%a(x-YDJl3i0s>`upie`Wy28>HQh)2LJL9_YL_0`UCvx<N4|t0q6Ms{qF`U`~eR41t$XF8}JVL_Yv#z0`T+j@&n"
                    "`QJK`huClKZ7<`xqW`28v^*Z=kM2>3w`6XfUe@Gb=F4BF=b-YN|H3Gx5?0V4bX3;hor-vs#j_Z24h4ea#*8X^+<3HTrT`1AB"
                    "0^!fM)`Ud$35AFp2@fZpK`Q8yE<_7lf4e;*@0s0c}1M3I-_W<(p_3aV`66*i}^6(Y$4nOn%_3;h{`3Us(^9c9`3;7QD^fL5H"
                    "?DrA;1Napk^Xl90^Xv@|>gMkC>i5{|-tF)I`THmz?d;t3^Y-EH0S5L1`Sbwp01X@T3-$u!^8q;L=<)ab^Yzp6^#A$`D*pWA="
                    "Lh^1^zR1f^ZM~2_wWG<9sK|3^e*m91SJ0oC>Qb<@c"
                ),
            ),
            "thirty before": (
                0.004301,
                (
                    "-sR0;4h`BJJ2uQw^4k_SIpyaZ^%4~2GEn6RLRTp1^eQ<XTKF9S^eOT}{qqI|`2g(z0u}xF`}+m>82{x50R1=!{`d%3{?s<%^"
                    "8WZ5>FewRC2AA^02uV>*%STL{Mx$l^YLBZ`|bkw=NRi6+SmQ^?=39L2ml%8%>^$Y?;8mOS?W0N^&bQ~>M{oJ_I?EJ8xr{ZA|"
                    "(Ik8q@j5^!*X!&ierd`ttYn>*x#Y?G5}90q6h$`349384K$d`S(=s-3I+n=i>O)?b`$0$sADm;NA5j9N;qh)fNc*<JkP(2mF"
                    "rqM#T^TJk9_p`}n@U@A+ov<Ms{j1MLUv`SI%N^8E?m@yXZq{T2)x{@5Y{1_}1)?;9?_0{Ig3BpP7)?&SG5vhn5;BenDL5$^d"
                    "$9rfo1_qg=f1={rH*!KGPQQ7ev+wAN3P4D3;9UcGO8x{BY@$Jk=2GjZ@Xb<n|2jH^o`R(c8=Kt^g@eSz!<NO!l7w`Ga^Y-Ny"
                    "H16W}((wBR+~MKk<n{U%_w7Ri@CpJ4!|m?!|M@lM{^Icf@!<6T8_*Bs2<q$-)&Ttb1rQwKBlAx7`V#u$@%H`Y+Qbgn7Yld{_"
                    "xt_?`1?57=lI$%C?V?dK^W@s=L}98e*+Wl3GT!7<p"
                ),
            ),
            "thirty after": (
                0.008095,
                (
                    "-S+NG?EvO4GcFM-Jp>gbCrU6c_Xb4z7=PvG05L5w5JUbH4iy>O0Tvqi1PlEW4FJvn4*LJ_8WjL7>Hzxg0Qo2S1qJUb{{J%q8"
                    "vg$ESON9~4)*{60Pp|i;p`9i1P%=M>kcDr+4cem4E6%=_yzIk{}A#n_WT0y5e)(M>hSp8^V0?2`U&_R_V@)N`#l%@0Ot(%^!"
                    "f|*0SNct@&Nwt;v?z?`|$Dn`26!p1QPN3=l%`p1N!m)0R#W|^92p_><{%7{_Obs`|t}W0uTN66(R)HEAavX_zmy$2L1B^@(b"
                    "wkCFL0ON&V>W-WCq`_x1%E(fQ!>+TAV=3g!6&`YZYI3j5ad-6H<>1?TGn11|Ik{PzwR+x-yv><uje3GDC;5EKLT4dNdr`1kb"
                    "}^!VxX`~&&^7v}=!^&$xR_4WA&@(c9x{`Be_@Bjhr5&ZS~_xtDS_2&^12k!Cq^z|F}A{O!T^X3Nq{SNf{@%ilr|N8px_$u=t"
                    "?DqWz{`eCE_2}c}@ctMN<>KP(<_i1f<K6WC?C>rH6x`kN?)BpI4i5MA_Vf1W4g(MT0qOPc@Bks_>*w|X5Ax#i?)mruNE-^`;"
                    "q3+)^XCHj?DX><<Nf&m9|HsB@)!$67#bJ<91Zvg<N"
                ),
            ),
        },
        "directions": {},
    },
    "what a mail asks for": {
        "act": "request",
        "bias": -3.8,
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
                0.022771,
                (
                    "^%N89{Nep8e=h(1@#6Lu-tg@L_yGRjBM18n02}h*ApQFd2NDkO1TZ5l@b?J=>#FDh75zNf<n9FlOA-+K`{ffN5e4t@_7nK_2"
                    "^KW}0RI96@c{hx1Na021pNUK9RLji?gJJT0|@*b5C84r{^9fT5D5k&1r{^w>J0Su1Qj0k-3KZ63IiAF2nG=K6#wW9==tx*^6"
                    "A~_0{iz7>J<GG@9_2YJNN$+1r0Fz4*TKp9P9}5>?1oE8R-KE@et_;>IW15{Q39o2o^00^ZfSyGWR#~1;@?|*)awi1{e7X=mQ"
                    "4?8wwl-`vczy5BdS!5CaGO2m1!(AtLhy2>%Ze4EF^7<pAgj7!wBa2Ko{C|JnxQ0pb"
                ),
            ),
        },
        "directions": {
            "turn": (
                0.015585,
                (
                    ">IMB2^Gwe6237w4_8m7B4<S2DW&rJ{67O|4GxzcU3h+1rCf!8@(%lCI7WlVD(hC?}5Cjug+P}im-eRF7BSGQk6!g>0I@zDf&"
                    "Y>U9t}_NG3Mw#F>HygW1_LWl<>ngq9Q?cFwto}}V(rxej~W;g5AWjLL?jm<(e~j093R`&C(IV4CFuVZ<ktb=RQ)F1JB#YP^w"
                    "mJ~9pf&=<25QK2~PI03m*HtCelvgLLM9n-WL7!0}t^4O8@fj2MXL51QZ?Q58fI?A5jd}_W$AoyaYcX0Ym63_reJP`1;20_#p"
                    "V(0M-)f-Rkky=EONYC~5BaQ6DG<8Zy=2`zJl^^sX`U&-v{X7sDIe*Xa`UyyEW-R1L%p#y&6v1>wd&%pTkv;~W<Z8}<+#cPR_"
                    "q=@7>9BDc=C@2t%LxDQo7;|UGf4Bo-r)g8>)s~GF;6P`)KGVKlpH7LSc=<V3H$p!Z9`WXcGXTuu}>-4Dg8uBw4y$I759}E_@"
                ),
            ),
        },
    },
}
