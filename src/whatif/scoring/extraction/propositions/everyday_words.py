"""Everyday verbs and adjectives of English, by which the words of a sentence are classified."""


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


VERBS = _set("""
accelerate accept accumulate acquire act add admire admit adore agitate agree aid aim alarm alert alight allow alter
amaze answer appear applaud approach approve argue arise arrive ascend ask assault assemble assist astonish attach
attack avert avoid awake back bake ban bark battle be beam bear beat become begin belong bend bite blaze blend block
bloom blossom blow board boil bolt boo boot bore borrow bother bounce bow brake break breathe brighten brim bring
bubble buckle budge build bump burn burst buy call calm capture carry carve catch cause cave cease change char
charge chase chat check cheer chew chill chop chuckle clap clasp clean clear climb clog close clutch collapse
collect collide colour combine come comfort commence complete conceal conclude condense confess confirm connect
construct consume contact contain continue contract converse convey cook cool cope copy cost count cover crack crash
cross cry cuddle cure curve cut damage dance darken dash dawdle decay decelerate decline decompose decrease defend
deflate defrost delete deliver demand demolish demonstrate deny depart descend destroy detach detect deteriorate
detest detonate devour die dim diminish dirty disagree disallow disappear disapprove discard discharge disconnect
discontinue discover disembark dislike dismantle disperse display dispose disprove dissolve disturb dive divide do
dodge donate douse doze drag drain draw drench dress drift drink drip drive drizzle droop drop drown dry dump earn
eat elevate eliminate embrace emerge employ empty enable encounter end endanger enjoy enlarge enter equal erect
escape estimate evade evaporate examine exceed exchange excite exclude exhibit exit expand explode expose extend
extinguish face fade fail fall fasten feature feed feel fight fill find finish fire fit fix flee flex fling float
flood flow flower fly fold follow forbid forget fracture free freeze fret frighten frown fry function gain gather
gaze get giggle give gleam glide glitter glow go grab grasp greet grill grin grip grow guard guess guide gulp halt
hand handle hang harden harm harvest hasten hatch hate haul have head heal hear heat help hide hike hinder hit hoist
hold holler hop hover hug hunt hurl hurry hurt ice identify ignite illuminate imitate impede imprison improve
incline include increase indicate inflate injure inquire insert inspect instruct interrupt inundate jail jog join
jot journey jump keel keep kick kill kindle knock know land last laugh lay lead leak lean leap learn leave lend
lengthen let liberate lie lift light lighten like link liquefy list listen live load loathe locate lock look lose
love lower make manage mask match mean meet melt mend mention merge mimic miss mistake mix modify moisten mount move
munch nap narrow near need nibble note notice obey observe obstruct obtain occupy offer omit open operate outnumber
outrun overflow overlap overlook overtake overturn owe paint park part pass pay perceive perish permit persist phone
pick pitch place plant play plummet plunge point pop position pour power precede present preserve press prevail
prevent proceed produce prohibit prop protect prove pull pump punch punish purchase pursue push put quarrel question
quicken quiet quit quiver race rain raise ram reach read reassure recall recede receive recharge recline recognize
recollect reduce refuel refuse reject relax release remain remember remove repair reply require rescue resist
respond rest restore result retain retreat return reveal reverse revolve reward ride ring rinse rip rise roast rob
roll rot rotate ruin run rupture rush save say scale scare scatter scorch score scowl scream scrub seat see seek
seem seize sell sense separate serve set shake shatter shelter shield shift shine shiver shoot shorten shout shove
show shrink shrivel shut simmer sing sink sip sit sketch skid slant slap slay sleep slice slide slip slow slumber
smack smash smear smell smile snap snatch snooze snow soak soar sob soil solidify soothe sound sow sparkle speak
speed spend spill spin split spoil spook spot spread spring sprint sprout stain stand stare start startle state stay
steal steer step stick sting stir stop straighten stream strengthen stretch stride strike strip stroll struggle
study stumble submerge subtract succeed suggest support surface surprise surrender survive swallow swap swell swerve
swim switch take talk tank taste teach tear telephone tell terrify thaw thrill throw tidy tie tilt tip topple toss
touch tow trade transform transport trap travel traverse tread tremble trickle trigger trim trip triumph tug tumble
turn twist unblock unbuckle uncover undo undress unfasten unfold unite unload unlock untie unwrap uproot upset use
utilize vacate vanish vaporize vary veer view wag wait wake walk wander want warm warn wash watch wave weaken wear
weep weigh welcome wet whirl whisper widen wilt win wipe wither work worry worsen wound wrap wreck wrestle write yap
yell
""")

# The forms that no rule makes from the first one, which is the base.
IRREGULAR_VERBS = """
arise arose arisen, awake awoke awoken, be is are was were been being am, bear bore borne, beat beaten
become became, begin began begun, bend bent, bite bit bitten, blow blew blown, break broke broken, bring brought
build built, burn burnt, buy bought, catch caught, come came, die dying dies, do does did done, draw drew drawn
drink drank drunk, drive drove driven, eat ate eaten, fall fell fallen, feed fed, feel felt, fight fought
find found, flee fled, fling flung, fly flew flown flies, forget forgot forgotten, freeze froze frozen
get got gotten, give gave given, go went gone goes, grow grew grown, hang hung, have had has, hear heard
hide hid hidden, hold held, keep kept, know knew known, lay laid, lead led, leap leapt, learn learnt, leave left
lend lent, lie lay lain lying, light lit, lose lost, make made, mean meant, meet met, overtake overtook overtaken
pay paid, ride rode ridden, ring rang rung, rise rose risen, run ran, say said, see saw seen, seek sought, sell sold
shake shook shaken, shine shone, shoot shot, show shown, shrink shrank shrunk, sing sang sung, sink sank sunk
sit sat, sleep slept, slide slid, sow sown, speak spoke spoken, spend spent, spin spun, spring sprang sprung
stand stood, steal stole stolen, stick stuck, sting stung, strike struck stricken, swell swollen, swim swam swum
take took taken, teach taught, tear tore torn, tell told, throw threw thrown, tie tying ties, tread trod trodden
wake woke woken, wear wore worn, weep wept, win won, write wrote written
"""

# Words that can be attributes, and are no nouns.
ADJECTIVES = _set("""
abnormal above absent accessible accompanied accurate additional adequate adjacent affected affordable afraid after
afterwards aged ahead ajar alert alike alive allowed alone altered amazed ample ancient angry annoyed antique
anxious apart apparent appropriate approximate arid artificial ashamed askew asleep astonished asymmetric
asymmetrical attached attentive attractive atypical authentic available awake aware away awful back backward
backwards bad balanced bald banned bare barred beautiful before beforehand behind below beneath big bitter bland
blank blocked blooming blunt blurred blurry boiling bolted boring bound brave breakable brief bright brilliant broad
broken brown bulky bumpy busy calm careful careless cautious chained challenging changed chaotic characteristic
cheap cheerful chilled chilly chubby circular clean clear clever clogged close closed clothed cloudless cloudy
cluttered coarse coated cold comfortable common complete completed complimentary compulsory concealed congested
connected conscious contemporary cool correct costly cosy courageous courteous covered cozy cracked crisp crooked
cross crowded crucial curled curly damaged damp dangerous dark dead dear deceased deep defective delicate delighted
deserted detached different differing difficult dim dirty disallowed disappointed disconnected disorganized
dispersed dissimilar distant distinct done down downstairs downward downwards dozing drenched dressed dried dripping
droopy drunk dry dull durable dusty earlier early easy effortless elderly elevated empty ended energetic enormous
enough equal erect essential even exact excellent exciting exhausted expecting expensive exposed extended extra fair
fake false famished far fascinating fast fat fatigued faulty fearful fearless feasible feeble female few fewer
fiercer filled filthy final fine finished firm first fit fitting fluffy focused foggy folded foolish forbidden
foremost fortunate forward forwards fragile free freezing frequent frequently fresh friendly frightened front frosty
frozen full functional furious furnished furry further fuzzy gentle genuine giant gigantic glad gloomy glossy gone
good gorgeous gratis great green grimy grippy guilty hairless hairy handy happy hard harmful harmless hazardous hazy
healthy heated heavy helpful hidden hideous high higher highest hilly hollow horizontal hostile hot huge hungry
hushed icy identical ill illegal illegible illuminated immature immobile impatient implausible impolite important
impossible improbable inaccessible inaccurate inadequate inappropriate inattentive inclined incomplete incorrect
indistinguishable indoor indoors inexpensive infeasible infrequently innocent inside insignificant insufficient
intact intelligent interesting intoxicated inverted invisible irritated joined jointly joyful just kind lacking
large last late later laterally lawful leading leafless leafy lean leaning least left left-hand leftmost legal
legible lengthy less level lifeless lightweight likely linked liquid lit little living locked lonely long loose
lopsided loud lovely low lower lowermost lowest lucky luminous lush lying mad male mandatory many marked married
massive matching matt matte mature maximal maximum mean melted merry messy mighty mild miniature minimal minimum
minute miserable missing mistaken misty modern modified moist molten more most motionless moving muddy multiple
murky muscular naked napping narrow natural near nearby neat necessary needed needless negative new next nice noisy
normal noticeable nude numerous obese obscured obstructed obtainable occupied odd offered often old ongoing onward
opaque open opened operational opposite orderly ordinary organized outdated outdoor outdoors outside over overcast
overhead overweight packed paid parallel parched parked passable patient peaceful peppery perilous permitted
perpendicular petite plausible pleased plenty pliable plugged plump plural pointed pointy polished polite poor
popular positive possible powerful powerless precise pregnant prepared pretty previously pricey private probable
prohibited proud public quick quiet radiant rainy rapid rare rarely reachable readable ready real rear recent
reckless reflective regularly relaxed released remaining remote removed required rested revealed reverse reversed
rich right right-hand rightmost rigid ripe risky robust rotten rough round rude ruined sad safe salted saltless
salty same sated scared scattered scorching seated secure secured see-through seen seldom separate separated
separately several shaggy shaky shallow sharp shattered sheer shiny shocked short showery shrivelled shut sick
sideways significant silent similar simple single sitting sizeable skewed skinny slack slanted sleeping sleepy
slender slick slim slippery slow sluggish small smart smashed smooth soaked sober sodden soft soggy soiled solid
solitary soundless sour speedy spherical spicy spoiled spotless squishy stable stained stale standing startled
starving static stationary steady steep stiff still stopped straight straightforward strange strong stronger stuffed
stupid sturdy subsequently successful sufficient sugary suitable sunny superfluous supported surprised sweet
sweetened swift symmetric symmetrical tall taut tearful tedious tender terrible terrified tethered thawed there
thick thin thrilling tidy tied tight tilted tiny tipsy tired together topmost tough towering translucent transparent
tricky trivial true typical ugly unaffected unaltered unattached unattractive unavailable unaware unbalanced
unblocked unbreakable unbroken unchanged unclothed uncomfortable uncommon unconscious uncovered undamaged under
underneath undressed unequal uneven unfair unfinished unfocused unfolded unfortunate unfriendly unfurnished unhappy
unhealthy unhelpful unimportant uninteresting united unjust unlawful unlike unlikely unlit unlocked unlucky unmarked
unmarried unmoving unnecessary unobstructed unoccupied unplugged unpopular unprepared unreachable unreadable unready
unrestrained unripe unsafe unsalted unseen unstable unsteady unsuccessful unsuitable unsupported unsweetened untidy
untied untrue unusable unusual unwell up upper uppermost upright upset upstairs upward upwards usable used useful
useless usual vacant vague verdant vertical visible voluntary warm washed waterlogged wavy weak weaker wealthy weary
weightless weighty weird well wet whole wide wilted withered within wobbly working worn wrapped wrong young youthful
""")
