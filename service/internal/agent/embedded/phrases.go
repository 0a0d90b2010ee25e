package embedded

// fillers may stand before a statement or a question without changing it.
// Contractions are written out, as tokens are.
var fillers = phrases(`hi, hello, hey, hi there, hello there, hey there, hello again, good morning, good afternoon, good evening, good day,
	greetings, well, so, ok, okay, alright, actually, no, nope, yes, yeah, yep, oh, ah, um, uh, hmm, sorry, i am sorry, wait, oops, btw,
	by the way, also, and, but, because, then, now, please, just so you know, fyi, i mean, i meant, to be clear, correction, in fact, anyway,
	as you know, i told you that, i told you, i said that, i said, i think, i think that, i believe, i believe that, i guess, let me tell you,
	you should know, you should know that, for the record, it turns out, it turns out that, the thing is, fun fact, to be honest, honestly,
	unfortunately, luckily, fortunately, sadly, apparently, first of all, finally, lol, haha, thanks, thank you, great, cool, nice,
	nowadays, these days, currently, at the moment, right now, since, not really, just kidding, my mistake, for your information,
	remember, remember that, please remember, please remember that, note, note that, please note that, do not forget, do not forget that,
	never forget that, keep in mind, keep in mind that, i want you to remember that, i want you to know that, i would like you to know that,
	i would like you to remember that, can you remember that, could you remember that, will you remember that, would you remember that,
	please note, let me introduce myself, nice to meet you, pleased to meet you, you know, though, rather, instead, today, i must say,
	i have to say, i forgot to say, i forgot to mention, did you know, did you know that, guess what, since you ask`)

// keepers make a statement of what follows, even under a question mark.
var keepers = phrases(`can you remember that, could you remember that, will you remember that, would you remember that,
	can you please remember that, could you please remember that, did you know that i, did you know that my`)

// forgotten turn a statement into a wish to be told.
var forgotten = phrases(`i forgot my, i forgot what, i forgot where, i forgot who, i forgot when, i forgot how, i have forgotten,
	i do not remember, i do not recall, i can not remember, i can not recall, i want to know, i would like to know, i wonder,
	i am wondering, i need to know`)

// wrappings stand around a question and may be taken off.
var wrappings = phrases(`please, can you, could you, would you, will you, can you please, could you please, would you please, do you know,
	do you still know, do you remember, do you still remember, do you recall, do you happen to know, do you happen to remember, you remember,
	you know, can you remember, can you recall, can you still remember, are you able to, would you mind, tell me, tell me again, please tell me,
	remind me, remind me of, remind me about, let me know, i want to know, i would like to know, i need to know, i wonder, i am wondering,
	i forgot, i have forgotten, i do not remember, i do not recall, i can not remember, i can not recall, i would like you to, i want you to,
	i need you to, any idea, do you have any idea, quick question, a quick question, one question, question, recall, remember, say again, and, but, so, also, then, ok,
	what about, how about, by any chance, if you remember, now, did i tell you, did i ever tell you, did i already tell you, have i told you,
	have i ever told you, have i already told you, did i say, have i said, go ahead and, be so kind and, kindly,
	just, still, try to, show me, give me, do you remember if, do you know if, do you remember whether, do you know whether, if, whether,
	can i ask you, may i ask, can i ask, let me ask, let me ask you, hey, and finally, finally, guess`)

// tellMe are the wrappings that make an order of a noun: "tell me my name".
var tellMe = phrases(`tell me, please tell me, remind me, remind me of, please remind me, show me, give me, let me know, recall, what about, how about,
	can you tell me, could you tell me, do you know, do you remember, do you recall`)

// saidBefore may stand inside a question about what was stated.
var saidBefore = phrases(`did i say, did i say that, did i tell you, did i tell you that, have i said, have i told you, have i told you that, did i mention,
	did i mention that`)

// endings stand after a question and may be taken off.
var endings = phrases(`again, please, now, then, though, exactly, in this chat, in our chat, in this conversation, so far, right now, by the way,
	btw, at the moment, currently, anyway, you know, do you know, do you remember, remember, if you remember, that i told you,
	i told you, that i gave you, i gave you, that i mentioned, i mentioned, thanks, thank you, would you, can you, could you, can you tell me,
	already, until now, up to now, today, earlier, before, here, for me, to you, you, once more, one more time, really, right,
	according to me, that i said, i said, correctly, still, at all, ever, or not, anyways, mate, ok, okay, i told you earlier, i told you before`)

// orders begin what tells the agent to be or to do something.
var orders = phrases(`you are now, you must, you will now, you shall, from now on, act as, let us, i want you to, i need you to, i would like you to,
	do my, do the, do this, do a, do some, do not tell, do not say, do not use, do not answer, do not reveal, help me, go on, go ahead`)

var requestVerbs = words(`write tell give show explain describe translate list summarize summarise recap generate create make calculate compute solve
	find search compare help recommend suggest draw code fix correct rewrite rephrase convert define play sing act pretend ignore disregard forget
	print reveal output repeat say echo count quote recall remind answer respond reply stop continue send buy set think imagine sort reverse
	spell choose guess proofread paraphrase shorten improve analyze analyse classify extract read check look teach explain elaborate discuss
	compose draft design build plan review simplify expand bring delete remove clear erase book order open type name provide let execute run
	recite`)

// labels are those of them that stand before a colon as a noun: "Name: Anna".
var labels = words("name code book order answer play design plan list check address open")

// echoVerbs ask for a text to be said back.
var echoVerbs = words("repeat say echo quote print output type reply respond answer write")

// reminders begin what the user wants kept.
var reminders = phrases(`remember, please remember, note, please note, do not forget, please do not forget, keep in mind, please keep in mind,
	can you remember, could you remember, i want you to remember, i would like you to remember, never forget`)
