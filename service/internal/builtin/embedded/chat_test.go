package embedded_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// phrasing is a short chat in one line: what the user says, with | between the
// messages. The answer to the last one is want.
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
	intro      = "No model is configured, so I can only work with what I was told: I can recall it, count it and quote it. Set OPENAI_BASE_URL and MODEL to connect one."
	untold     = "You have not told me that in this chat."
	unknown    = "That was not said in this chat, and there is no model to ask."
	needsModel = "I can't do that without a model. I can only recall, count and quote what I was told."
	noModel    = "I am the built-in agent of this service, not a model. I can only recall, count and quote what I was told."
	english    = "I read English only."
)

func TestFirstWords(t *testing.T) {
	t.Parallel()
	require.Equal(t, "Hello! "+intro, ask(t, said("Hi there!")).text)
	require.Equal(t, intro+"\n\nNoted: “My name is Anna.”", ask(t, said("My name is Anna.")).text)
	require.Equal(t, intro+"\n\nThis message has 7 words.", ask(t, said("How many words are in this question?")).text)
	for _, none := range []string{"", "👍"} {
		require.Contains(t, ask(t, said(none)).text, "There are no words in that.")
	}
	require.Contains(t, ask(t, said()).text, "There are no words in that.")
}

func TestSmallTalk(t *testing.T) {
	t.Parallel()
	holds(t, []phrasing{
		{"a greeting", "Good morning", "Hello again! Tell me something, or ask me about what was said in this chat."},
		{"thanks", "Thanks a lot!", "You're welcome!"},
		{"thanks before a question", "My name is Jo.|Thanks, what's my name?", "Your name is Jo."},
		{"a farewell", "Bye!", "Goodbye!"},
		{"who it is", "Who are you?", noModel},
		{"what it can do", "What can you do?", noModel},
		{"its opinion", "Do you like jazz?", noModel},
		{"its instructions", "What are your instructions?", noModel},
		{"a statement", "I bought two tickets", "Noted: “I bought two tickets”."},
		{"a statement that begins as a question would", "When I was young I ran a lot.", "Noted: “When I was young I ran a lot.”"},
	})
	require.Equal(t, []string{"q2"}, ask(t, said("Hello", "I bought two tickets")).quoted())
}

func TestWhatNeedsAModel(t *testing.T) {
	t.Parallel()
	holds(t, []phrasing{
		{"a fact of the world", "Who won the world cup in 2018?", unknown},
		{"arithmetic", "What is 2+2?", unknown},
		{"advice", "How do I cook rice?", unknown},
		{"a joke", "Tell me a joke.", needsModel},
		{"a translation", "Translate \"hello\" into French.", needsModel},
		{"work on what was said", "My name is Anna.|Write my name backwards", needsModel},
	})
}

// The agent says so once in a chat. It does not answer text in another language.
func TestAnotherLanguageIsNoticedOnce(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"Quelle est la capitale de la France ?", "Wo wohne ich?", "¿Dónde vivo yo?", "Где я живу?", "我在哪里工作？"} {
		prompt := said("Hello", text)
		require.Equal(t, english, ask(t, prompt).text)
		prompt.Messages[1].Text = english
		require.Equal(t, "Noted: “"+text+"”", strings.TrimSuffix(ask(t, prompt).text, "."))
	}
	holds(t, []phrasing{
		{"a name from elsewhere", "My name is Chloé de la Cruz.|What is my name?", "Your name is Chloé de la Cruz."},
		{"few words", "Pizza tonight", "Noted: “Pizza tonight”."},
	})
}

func TestRecall(t *testing.T) {
	t.Parallel()
	holds(t, []phrasing{
		{"a name", "Hi! My name is Anna.|It rains.|What's my name?", "Your name is Anna."},
		{"a name in small letters", "my name is eva|whats my name", "Your name is eva."},
		{"a name asked for in an order", "My name is Jo.|Can you remind me what my name is, please?", "Your name is Jo."},
		{"a name guessed wrongly", "My name is Jo.|Is my name Bob?", "Your name is Jo."},
		{"a name corrected", "My name is Bob.|Sorry, actually my name is Eva.|Who am I?", "Your name is Eva."},
		{"what may be a name", "I'm Tomás.|What is my name?", "The closest thing I know: You are Tomás."},
		{"somebody else's name", "My sister's name is Ana.|My name is Lea.|What is my sister's name?", "Your sister's name is Ana."},
		{"two at once", "My name is Al, and I work at a bakery in Lisbon.|What's my name and where do I work?", "Your name is Al. You work at a bakery in Lisbon."},
		{"a home that changed", "I live in Oslo.|I moved to Bergen last year.|Which city do I live in?", "You moved to Bergen last year."},
		{"a home before and now", "I used to live in Paris. I live in Lyon now.|Where do I live?", "You live in Lyon now."},
		{"with the partner", "My wife and I live in Turin.|Where do I live?", "You and your wife live in Turin."},
		{"where others live", "I live in Madrid.|My brother lives in Oslo.|Where does my brother live?", "Your brother lives in Oslo."},
		{"a job", "I'm not a doctor, I'm a dentist.|What do I do for a living?", "You are a dentist."},
		{"an employer", "i work for nasa|who is my employer?", "You work for nasa."},
		{"an age", "I'm 34 and I play chess|how old am i", "You are 34."},
		{"an origin", "I am from Lyon.|Where am I from?", "You are from Lyon."},
		{"a birthday", "I was born on 3 May 1990 in Turin.|When is my birthday?", "You were born on 3 May 1990 in Turin."},
		{"another spelling", "My favorite food is ramen.|What's my favourite food?", "Your favorite food is ramen."},
		{"a kind of thing", "I have a dog named Rex.|Do I have any pets?", "You have a dog named Rex."},
		{"something near", "I play the violin.|What instrument do I play?", "The closest thing I know: You play the violin."},
		{"what is liked", "I like jazz.|I don't like coffee.|I love hiking in the Alps.|What do I like?", "You like jazz. You love hiking in the Alps."},
		{"what was taken back", "I like tea. Actually, I don't like tea, I like coffee.|What do I like?", "You like coffee."},
		{"in the same message", "My name is Anna. What is my name?", "Your name is Anna."},
		{"all of it", "I live in Lyon. I work at a hospital.|What do you know about me?", "You told me:\n1. You live in Lyon.\n2. You work at a hospital."},
		{"by any word", "I parked the car on level 3.|Where did I park?", "You said: “I parked the car on level 3.”"},
		{"about a thing", "The meeting is at 5pm in room 12.|When is the meeting?", "You said: “The meeting is at 5pm in room 12.”"},
		{"about somebody", "My sister Ana works at the hospital.|Where does Ana work?", "You said: “My sister Ana works at the hospital.”"},
		{"a mention", "I went to Rome with Paul.|Did I mention Paul?", "You said: “I went to Rome with Paul.”"},
	})
	require.Equal(t, []quote{{"q1", "My name is Anna"}}, ask(t, said("My name is Anna.", "What is my name?")).quotes)
}

func TestNothingIsMadeUp(t *testing.T) {
	t.Parallel()
	holds(t, []phrasing{
		{"nothing said", "What is my favourite colour?", untold},
		{"a question is not a statement", "Is my name Bob?|What is my name?", untold},
		{"a supposition", "Suppose my name is Zoe and I live in Rome.|Where do I live?", untold},
		{"a text to translate", "Translate to French: my name is Bob|What is my name?", untold},
		{"a friend's name", "My friend Karl came by.|What is my name?", untold},
		{"a feeling about a job", "I like my job.|What is my job?", untold},
		{"another property", "My phone is broken.|What's my phone number?", untold},
		{"another's property", "My favourite colour is blue.|What is my sister's favourite colour?", untold},
		{"no place", "I work hard.|Where do I work?", untold},
		{"no time", "I was born in Lyon.|When was I born?", untold},
		{"a wish", "I want to live in Japan.|Where do I live?", untold},
		{"where others live", "My brother lives in Oslo.|Where do I live?", untold},
		{"another thing of the kind", "I have a dog.|Do I have a cat?", untold},
		{"nothing about the user", "The sky is grey.|What do you know about me?", "You have told me nothing about yourself in this chat."},
	})
	prompt := said("Hello", "What is my name?")
	prompt.Messages[1].Text = "My name is Max, your name is Bob."
	require.Equal(t, untold, ask(t, prompt).text, "the assistant said it")
}

func TestCounts(t *testing.T) {
	t.Parallel()
	require.Equal(t, intro+"\n\nThis message has 5 words.", ask(t, said("How many words are there?")).text, "there is no other")
	holds(t, []phrasing{
		{"words of this message", "How many words are in this message?", "This message has 7 words."},
		{"letters of a word", "How many letters are in the word banana?", "“banana” has 6 letters."},
		{"words in quotation marks", "How many words has \"to be or not\"?", "“to be or not” has 4 words."},
		{"words after a colon", "Count the words in: the quick brown fox", "“the quick brown fox” has 4 words."},
		{"messages", "Good morning.|How many messages are in this chat?", "There were 4 messages before this one: 2 from you and 2 from me."},
		{"words of the sentence before", "I like green tea. How many words are there?", "The text before your question has 4 words."},
		{"words of the line before", "I like green tea\n\nHow many words is that?", "The text before your question has 4 words."},
		{"words of the message before", "I like green tea.|How many words are there?", "Your last message has 4 words."},
		{"letters of the message before", "I like tea.|How many letters are in that?", "Your last message has 8 letters."},
		{"sentences of the message before", "I like tea. You do too.|How many sentences did I write?", "Your last message has 2 sentences."},
		{"words beside a message that is mentioned", "I sent you a message. How many words are there?", "The text before your question has 5 words."},
		{"words beside a message in the question", "My message says \"one two\" so how many words are there?", "“one two” has 2 words."},
		{"words of a language", "How many words are there in English?", unknown},
		{"numbers", "Count to 12", "1 2 3 4 5 6 7 8 9 10 11 12"},
		{"too many numbers", "Count to 1001", "I count to any number from 1 to 1000."},
		{"what nobody counted here", "How many people live in Berlin?", unknown},
		{"what is the user's to tell", "How many sisters do I have?", untold},
	})
}
