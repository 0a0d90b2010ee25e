package embedded

// Contractions. A careless one is written without its apostrophe; the number
// is where it parts.
var (
	carelessContractions = map[string]int{
		"im": 1, "ive": 1, "dont": 2, "doesnt": 4, "didnt": 3, "isnt": 2, "arent": 3, "wasnt": 3, "werent": 4,
		"havent": 4, "hasnt": 3, "cant": 2, "wont": 2, "cannot": 3, "whats": 4, "whos": 3, "wheres": 5, "hows": 3,
		"whens": 4, "thats": 4, "shes": 3, "hes": 2, "youre": 3, "theyre": 4,
	}
	contractedHeads = map[string]string{"can't": "can", "cant": "can", "won't": "will", "wont": "will", "shan't": "shall"}
	contractedTails = map[string]string{"n't": "not", "nt": "not", "'m": "am", "m": "am", "'re": "are", "re": "are",
		"'ve": "have", "ve": "have", "'ll": "will", "'d": "would", "s": "is"}
	beforeIs = words("it that what who where when why how he she there here this")
)

var abbreviations = words("mr mrs ms dr prof st jr sr vs etc e.g i.e approx dept est inc ltd co no")

// Parts of a sentence.
var (
	selfPronouns  = words("i we")
	otherPronouns = words("he she they")
	thingPronouns = words("it that this")
	possessives   = words("his her their its")
	ourOwn        = words("my our mine")
	determiners   = words("my our your his her their its the a an this that these those some any")
	articles      = words("a an the")
	beForms       = words("be am is are was were been being")
	asking        = words("what who whom where when which whose why how")
	auxiliaries   = words("do does did have has had")
	modals        = words("can could will would shall should may might must")
	negations     = words("not never no hardly neither nor")
	adverbs       = words(`really just also currently now still always usually only actually very recently often sometimes even already truly originally
		mostly mainly probably definitely absolutely simply once presently ever officially both all kinda recently finally lately soon
		basically`)
	prepositions = words(`in at on to from for with by near of about under over behind inside outside into onto as after before since until around next
		between through during without against`)
	conjunctions = words("and but so because then while though although yet or since plus")
	suppositions = words("if suppose supposing imagine pretend assume whether unless hypothetically")
	correctors   = words("actually no sorry correction instead rather wait oops now anymore currently changed update wrong")
)

// What tells a number, a time, a place.
var (
	numberWords = words(`zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen
		twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million dozen couple`)
	timeWords = stems(`monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october
		november december today tonight tomorrow yesterday morning noon afternoon evening night midnight week month year day hour minute
		spring summer autumn fall winter weekend christmas easter o'clock pm ago soon later now always never every daily`)
	placeWords = words(`in at on near under behind from to inside outside next between into around home here there abroad upstairs downstairs remotely
		over beside opposite above below by`)
)

// What may follow "I'm", "I'm a" and "my name is" besides a name, and what
// stands inside one.
var (
	namesOfOrigin = stems(`american british english scottish welsh irish french german italian spanish portuguese dutch belgian swiss austrian polish czech
		slovak hungarian romanian bulgarian greek turkish russian ukrainian swedish norwegian danish finnish icelandic estonian latvian
		lithuanian serbian croatian bosnian albanian canadian mexican brazilian argentinian chilean peruvian colombian cuban chinese
		japanese korean vietnamese thai indian pakistani iranian iraqi israeli lebanese syrian egyptian moroccan algerian tunisian
		nigerian kenyan ethiopian african asian european australian catalan basque latin`)
	faiths        = stems("christian muslim jewish hindu buddhist catholic protestant atheist vegan vegetarian ok okay")
	nameParticles = words("de da di du van von der den la le bin al el del dos san ter ibn o'")
	noNameStarts  = words(`a an the my your his her their our its so too very really quite not hard easy long short difficult common rare still also like
		spelled pronounced on in at from for with by about what none unknown secret important irrelevant`)
	commonStates = words(`fine ok okay good great well bad sad glad happy angry hungry thirsty tired bored busy sleepy sorry ready lucky crazy dizzy lonely
		lazy here back home there late early done new old young sick ill hot cold alone lost sure unsure afraid able unable single married
		divorced engaged pregnant free broke rich poor tall short fat thin strong weak blind deaf male female gay straight left-handed
		right-handed vegan vegetarian awake asleep away out in off on up down nervous curious confused serious right wrong first last next
		human alive dead better worse best worst excited interested online offline retired unemployed self-employed stuck almost about
		just so very too not really also still kind sort all both okay-ish hopeless blessed upset calm relaxed allergic open close closed
		aware fluent good-looking outside inside abroad upstairs everything nothing nobody someone somebody anyone it me you him her them
		us that this what who yes no maybe it's going only never always sometimes probably definitely currently now more less one today
		tomorrow yesterday`)
	ageFollowers = words("year years yo y/o yrs and now old but so today already")
	noJobs       = stems("bit little fan lot person man woman boy girl human kid guy lady mess morning night member way kind sort")
)

// Words without which there is no English sentence: functionWords are looked
// for to tell whether one is English, contentless are passed over when what two
// sentences say is compared.
var (
	functionWords = words(`a an the i me my we us our you your he him his she her it its they them their this that these those am is are was were be been do
		does did have has had can could will would shall should may might must not no nor and or but if so as at by for from in into of
		off on out over to up with about after before then than too very just what who where when which why how there here all any some
		more most much many again please yes ok okay hello hi hey thanks tell say said know like get go let`)
	contentless = words(`a an the i me my mine myself we us our you your yours he him his she her it its they them their this that these those am is are
		was were be been being do does did done have has had can could will would shall should may might must not no and or but if so as
		at by for from in into of off on out over to up with about then than too very just what who whom whose where when which why how
		there here any some please again still ever now already exactly also called named anything something everything anyone someone
		anybody somebody 's`)
)

// verbs are the verbs that a sentence may turn on. Those that it misses are
// found by their words alone.
var verbs = stems(`live reside work study like love hate enjoy prefer adore dislike detest want need own play speak drive eat drink
	cook read write watch learn teach use buy sell go come move grow get make take give see meet know think believe feel hope plan try
	start begin stop quit finish run walk swim ride travel visit fly leave arrive stay sleep wake wear collect build code program paint
	sing dance call marry attend graduate lose win find keep spend earn cost pay owe lend borrow park put hide bring send order book rent
	forget remember say tell mention ask suffer weigh measure follow manage lead hire raise practise practice train celebrate miss break fix
	install end happen open close depart land expire retire adopt prepare bake draw volunteer exercise settle relocate name become turn change
	switch join help hear sound look belong contain hold stand sit lie serve cover include require mean support look deserve catch fall support
	crave despise speak understand possess trust admire ski climb hike jog cycle sail fish hunt knit garden sew print listen`)
