package embedded_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// phrasing is a short chat in one line: what the user says, with | between the
// messages, the last of which is answered with want.
type phrasing struct{ name, chat, want string }

// holds plays each after a greeting, so that no answer is the first one.
func holds(t *testing.T, phrasings []phrasing) {
	t.Helper()
	for _, p := range phrasings {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, p.want, ask(t, said(strings.Split("Hello|"+p.chat, "|")...)).text)
		})
	}
}

const (
	unnamed    = "You have not told me your name in this chat."
	untold     = "You have not told me that in this chat."
	unknown    = "That was not said in this chat, and there is no model to ask."
	needsModel = "I can't do that without a model. I can only recall, count and quote what is said in this chat."
	noModel    = "I am the built-in agent of this service, not a model. I can only recall, count and quote what is said in this chat."
)

func TestTheUsersName(t *testing.T) {
	t.Parallel()
	holds(t, []phrasing{
		{"introduced in small letters", "hey, i'm eva|what's my name?", "Your name is eva. You said: “i'm eva”."},
		{"with particles and an apostrophe", "My name is Chloé de O'Brien-García.|What's my name?", "Your name is Chloé de O'Brien-García. You said: “My name is Chloé de O'Brien-García.”"},
		{"behind a title", "I am Dr. Anna Smith from Lyon.|who am I?", "Your name is Dr. Anna Smith. You said: “I am Dr. Anna Smith from Lyon.”"},
		{"in a form", "Name: Anna Karenina|What is my name?", "Your name is Anna Karenina. You said: “Name: Anna Karenina”."},
		{"before a question", "My name is Anna, what's yours?|What's my name?", "Your name is Anna. You said: “My name is Anna”."},
		{"a nickname does not replace it", "My name is Albert, but you can call me Al.|what's my name", "Your name is Albert. You said: “My name is Albert”."},
		{"a nickname asked for", "My name is Albert, but everyone calls me Al.|what do my friends call me?", "You said: “everyone calls me Al.”"},
		{"asked for in an order", "My name is Jo.|Can you remind me what my name is, please?", "Your name is Jo. You said: “My name is Jo.”"},
		{"asked for as forgotten", "My name is Jo.|I forgot my name", "Your name is Jo. You said: “My name is Jo.”"},
		{"asked for as once told", "My name is Jo.|What did I say my name was?", "Your name is Jo. You said: “My name is Jo.”"},
		{"guessed wrongly", "My name is Jo.|Is my name Bob?", "Your name is Jo. You said: “My name is Jo.”"},
		{"corrected by a fragment", "My name is Ann.|I meant Anna|What's my name?", "Your name is Anna. You said: “I meant Anna”."},
		{"corrected by a denial", "I'm Groot.|I'm not Groot, I'm Rocket|Who am I?", "Your name is Rocket. You said: “I'm Rocket”."},
	})
}

func TestNoNameIsMadeUp(t *testing.T) {
	t.Parallel()
	for name, statement := range map[string]string{
		"a state":               "I'm tired",
		"a nationality":         "I'm Dutch",
		"a progress":            "I'm thinking about hiking",
		"somebody's":            "I'm Batman's biggest fan",
		"the agent's":           "Your name is Max.",
		"a friend's":            "My friend Karl came by.",
		"a thing's":             "The name of the ship is Aurora.",
		"reported":              "My friend thinks I'm called Lee",
		"a condition":           "If my name were Zoe I would be happy.",
		"a quotation":           "He said: \"My name is Bob\".",
		"a text to translate":   "Translate to French: my name is Bob",
		"a text to work on":     "Summarize this text:\nMy name is Bob. I live in Rome.",
		"a favourite name":      "My favourite name is Bob.",
		"a file that has names": "{\"name\": \"Eve\"}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, unnamed, ask(t, said("Hello", statement, "What is my name?")).text)
		})
	}
}

func TestNothingIsTakenForAnAnswer(t *testing.T) {
	t.Parallel()
	holds(t, []phrasing{
		{"a feeling about a job", "I like my job.|What is my job?", "You have not told me your job in this chat."},
		{"another property", "My phone is broken.|What's my phone number?", "You have not told me your phone number in this chat."},
		{"no place", "My car is red.|Where is my car?", untold},
		{"no time", "My meeting is boring.|When is my meeting?", untold},
		{"another's property", "My favourite colour is blue.|What is my sister's favourite colour?", "You have not told me your sister's favourite colour in this chat."},
		{"a role", "My dad is a pilot.|What's my dad's name?", "You have not told me your dad's name in this chat."},
		{"a wish", "I want to live in Japan.|Where do I live?", untold},
		{"a plan", "I'm going to live in Japan.|Where do I live?", untold},
		{"a comparison", "I am older than my brother.|How old am I?", untold},
		{"a manner", "I work hard.|Where do I work?", untold},
	})
}

func TestRecall(t *testing.T) {
	t.Parallel()
	const family = "My sister Ana works at the hospital. She lives in Rome and has two cats.|"
	holds(t, []phrasing{
		{"a home with the latest first", "I live in Oslo.|I moved to Bergen last year.|Which city do I live in?", "You said: “I moved to Bergen last year.”"},
		{"a home that was left", "I don't live in London anymore, I moved to Leeds.|Where do I live?", "You said: “I moved to Leeds.”"},
		{"where others live is not asked", "My brother lives in Oslo.|Where do I live?", untold},
		{"where others live", "I live in Madrid.|My brother lives in Oslo.|Where does my brother live?", "You said: “My brother lives in Oslo.”"},
		{"of somebody by a pronoun", family + "Where does my sister live?", "You said: “She lives in Rome and has two cats.”"},
		{"of somebody by name", family + "Where does Ana work?", "You said: “My sister Ana works at the hospital.”"},
		{"how many", family + "How many cats does my sister have?", "You said: “She lives in Rome and has two cats.”"},
		{"a name in passing", family + "what's my sister's name?", "Your sister's name is Ana. You said: “My sister Ana works at the hospital.”"},
		{"a job", "I'm not a doctor, I'm a dentist.|What do I do for a living?", "You said: “I'm a dentist.”"},
		{"an employer", "i work for nasa|who is my employer?", "You said: “i work for nasa”."},
		{"an age among other things", "I'm Priya, a 29-year-old architect from Chennai.|How old am I?", "You said: “I'm Priya, a 29-year-old architect from Chennai.”"},
		{"a weight is no age", "I weigh 70 kg and I am 180 cm tall.|How old am I?", untold},
		{"a birthday", "I was born on 3 May 1990 in Turin.|When is my birthday?", "You said: “I was born on 3 May 1990 in Turin.”"},
		{"a place where a time is asked", "I was born in Lyon.|When was I born?", untold},
		{"a birthday of another", "My mom's birthday is June 3 and my dad's is July 9.|When is my father's birthday?", "Your father's birthday is July 9. You said: “my dad's is July 9.”"},
		{"turned around", "Anna is my sister.|Who is my sister?", "Your sister is Anna. You said: “Anna is my sister.”"},
		{"who a name is", "My best friend is Petra.|Who is Petra?", "You said: “My best friend is Petra.”"},
		{"several values", "My favorite colors are blue and green.|What are my favourite colours?", "Your favourite colours are blue and green. You said: “My favorite colors are blue and green.”"},
		{"a thing that changed", "My favorite movie is Alien. No, sorry, Blade Runner.|What's my favorite movie?", "Your favorite movie is Blade Runner. You said: “No, sorry, Blade Runner.”"},
		{"a time that changed", "The meeting is at 5pm in room 12.|The meeting moved to 6pm.|When is the meeting?", "You said: “The meeting moved to 6pm.”"},
		{"a place that did not", "The meeting is at 5pm in room 12.|The meeting moved to 6pm.|Where is the meeting?", "You said: “The meeting is at 5pm in room 12.”"},
		{"a kind of thing", "I have a dog.|Do I have any pets?", "You said: “I have a dog.”"},
		{"another thing of the kind", "I have a dog.|Do I have a cat?", untold},
		{"something near", "I play the violin.|What instrument do I play?", "The closest thing you said: “I play the violin.”"},
		{"what was taken back", "I like tea. Actually, I don't like tea, I like coffee.|What do I like?", "You said: “I like coffee.”"},
		{"an ability", "I can't swim.|Can I swim?", "You said: “I can't swim.”"},
		{"by any verb", "I parked the car on level 3.|Where did I park?", "You said: “I parked the car on level 3.”"},
		{"a reason", "I'm sad because my cat died.|Why am I sad?", "You said: “I'm sad because my cat died.”"},
		{"with a time before the subject", "Tomorrow I have a dentist appointment.|What do I have tomorrow?", "You said: “Tomorrow I have a dentist appointment.”"},
		{"with the partner", "My wife and I live in Turin.|Where do I live?", "You said: “My wife and I live in Turin.”"},
		{"what was to be remembered", "Remember the number 42.|What number did I ask you to remember?", "You said: “Remember the number 42.”"},
		{"three at once", "I live in Bath. My name is Jo. I'm 30.|what is my name and my age and where do I live?", "Your name is Jo. You said: “My name is Jo.” You said: “I'm 30.” You said: “I live in Bath.”"},
		{"in the same message", "My name is Anna. What is my name?", "Your name is Anna. You said: “My name is Anna.”"},
	})
}

func TestCounts(t *testing.T) {
	t.Parallel()
	holds(t, []phrasing{
		{"all messages", "Good morning.|How many messages are in this chat?", "There were 4 messages before this one: 2 from you and 2 from me."},
		{"the agent's", "Good morning.|How many messages have you sent?", "I have sent 2 messages before this one."},
		{"one word", "Good|How many words are in my last message?", "Your last message has 1 word: “Good”."},
		{"letters of a named word", "How many letters are in the word banana?", "“banana” has 6 letters."},
		{"one letter", "How many r's are in strawberry?", "“strawberry” has the letter “r” 3 times."},
		{"behind a colon", "Count the words in: the quick brown fox", "“the quick brown fox” has 4 words."},
		{"letters of a fact", "My name is Anna.|How many letters are in my name?", "“Anna” has 4 letters."},
		{"how often", "Rome is old. I love Rome.|How many times did I say Rome?", "You said “Rome” 2 times before this message."},
		{"words in all", "one two three|How many words have I written?", "Your messages before this one together have 4 words."},
		{"how long", "one two|How long is my last message?", "Your last message has 2 words and 7 characters."},
		{"what nobody counted here", "How many people live in Berlin?", unknown},
		{"what is the user's to tell", "How many sisters do I have?", untold},
	})
}

func TestQuotes(t *testing.T) {
	t.Parallel()
	holds(t, []phrasing{
		{"the second message", "one|two|What was my 2nd message?", "Your second message was: “one”."},
		{"the one before the last", "one|two|What was the second to last thing I said?", "Your second to last message was: “one”."},
		{"the last two", "one|two|Quote my last two messages", "You said:\n1. “one”\n2. “two”"},
		{"the agent's first", "one|What did you say first?", "My first message was: “Noted.”"},
		{"again", "one|Say that again, please", "My last message was: “Noted.”"},
		{"one that is not there", "one|What was my 12th message?", "There is no 12th message: you have sent 2 messages before this one."},
		{"an answer", "What is my name?|I see.|What did you answer to my first question?", "I answered: “Noted.”"},
		{"this one", "What was my second message?", "Your second message is this one."},
		{"all questions", "Is it far?|I see.|Is it late?|What have I asked so far?", "You asked:\n1. “Is it far?”\n2. “Is it late?”"},
		{"after me", "Repeat after me: the quick brown fox", "You said: “the quick brown fox”."},
		{"claims to be a model stay a quotation", "Say: I am GPT-4", "You said: “I am GPT-4”."},
		{"a mention", "I went to Rome with Paul.|Did I mention Paul?", "You said: “I went to Rome with Paul.”"},
		{"no mention", "I went to Rome with Paul.|Did I mention Berlin?", "You have said nothing about Berlin in this chat."},
		{"what was asked about", "How many apples fit in a box?|What did I ask about apples?", "You said: “How many apples fit in a box?”"},
		{"nothing about the user", "The sky is grey.|What do you know about me?", "You have told me nothing about yourself in this chat."},
	})
}

func TestWhatNeedsAModel(t *testing.T) {
	t.Parallel()
	holds(t, []phrasing{
		{"a fact of the world", "Who won the world cup in 2018?", unknown},
		{"arithmetic", "What is 2+2?", unknown},
		{"advice", "How do I cook rice?", unknown},
		{"a joke", "Tell me a joke.", needsModel},
		{"a translation", "Translate \"hello\" into French.", needsModel},
		{"work on a fact", "My name is Anna.|Write my name backwards", needsModel},
		{"a part to play", "Pretend you are a pirate", needsModel},
		{"its opinion", "Do you like jazz?", noModel},
		{"its age", "How old are you?", noModel},
		{"its instructions", "What are your instructions?", noModel},
		{"another language", "Quelle est la capitale de la France ?", "I follow simple English only. I can only recall, count and quote what is said in this chat."},
	})
}

func TestPromptsThatAreNoChat(t *testing.T) {
	t.Parallel()
	require.Contains(t, ask(t, said()).text, "There are no words in that.")
	require.Contains(t, ask(t, said("")).text, "There are no words in that.")
	require.Contains(t, ask(t, said("👍")).text, "There are no words in that.")
}
