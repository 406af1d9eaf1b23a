package seed

import "strings"

// words cuts a list of words apart.
func words(text string) []string { return strings.Fields(text) }

// phrases cuts a list apart at its bars.
func phrases(text string) []string {
	var out []string
	for _, p := range strings.Split(text, "|") {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, p)
		}
	}
	return out
}

// The names of persons.
var (
	firstNames = words(`
		Aaliyah Aaron Abena Adaeze Adrián Aiko Aisha Alejandra Alice Amara Amélie Amir Ana Anders Andrew Anil Anna Anthony Antonio Anya
		Arjun Astrid Benjamin Beatriz Bo Brandon Brigitte Bruno Camila Carlos Carmen Caroline Chidi Chloë Christine Claire Clara Daniel
		David Deborah Dedan Dennis Diego Dolores Dorothy Eleanor Eloísa Elif Emil Emily Emma Ethan Eun-ji Fatima Felipe Fiona Florence
		François Frank Frederik Gabriel George Giulia Grace Greta Guadalupe Hana Harold Harriet Hassan Helen Henry Hiroshi Ibrahim Ian
		Imani Inés Ingrid Isaac Isabel Ivana Jackson Jacqueline Jamal James Jane Javier Jelena Jennifer Jérôme Jin Joan João John Jonas
		Jorge Joseph Joyce Juan Judith Jürgen Kai Karen Karl Katarzyna Kazuo Keisha Kevin Kiran Kofi Kwame Laila Lars Latoya Laura
		Leïla Leonard Lin Linda Lisa Łukasz Lucía Luis Mahmoud Malik Manuel Marcel Margaret María Mark Martha Matthew Mei Mercedes
		Michael Miguel Mina Mohamed Nadia Nancy Naomi Nathan Nguyen Nia Nicole Nikolai Noah Nora Núria Olga Oliver Olivia Omar Oscar
		Øyvind Patricia Paul Pedro Peter Philip Priya Quentin Rachel Rafael Ramón Raúl Ravi Rebecca Renée Richard Robert Rosa Ruth
		Ryan Samira Samuel Sandra Sanjay Sara Satoshi Sean Siobhán Sofía Sophie Stella Stephen Sunita Susan Tamar Tariq Teresa Thanh
		Theodore Thomas Tomás Ursula Valentina Vera Víctor Vikram Virginia Walter Wei William Xavier Yara Yusuf Zainab Zoë Zofia`)
	lastNames = words(`
		Abbott Abdullah Adams Adeyemi Agarwal Aguilar Ahmed Álvarez Andersen Anderson Appiah Arslan Bailey Baker Banerjee Barnes Becker
		Begum Bennett Bergström Bianchi Björk Blackwood Boateng Brennan Brooks Brown Bui Burke Campbell Carter Castillo Çelik Chandra
		Chang Chaudhry Chen Cho Choi Clark Cohen Coleman Cook Cooper Costa Cruz Dahl Das Davis Delgado Desai Diallo Díaz Dinh Dubois
		Dupont Edwards Eriksen Espinoza Evans Fernández Ferreira Fischer Fitzgerald Flores Foster Fournier Fujita Gallagher García
		Ghosh Gibson Goldberg Gómez González Graham Greene Grønning Gupta Gutiérrez Haddad Hall Hansen Harris Hayashi Hernández
		Hoffmann Horvath Hossain Howard Hughes Hussain Ibáñez Ito Jackson Jansen Jensen Jiménez Johansson Johnson Jones Joshi Kamau
		Kaplan Kaur Kelly Khan Kim Kimura Klein Koch Kovács Kowalski Kumar Lambert Larsen Lê Lee Levine Lewis Li Lindqvist Liu Long
		López MacDonald Malik Mancini Martin Martínez Mbeki McCarthy Mehta Mendoza Meyer Miller Mitchell Moore Morales Moreau Morgan
		Müller Murphy Nakamura Navarro Nelson Ng Nguyen Nielsen Novak Nowak O'Brien O'Connor Okafor Okeke Oliveira Olsen Ono Ortiz
		Osei Owens Park Parker Patel Peña Pereira Pérez Petersen Pham Phillips Popescu Price Quinn Rahman Ramírez Ramos Reyes Reddy
		Richards Rivera Roberts Robinson Rodríguez Rojas Romano Rossi Roy Ruiz Russell Saito Salazar Sánchez Santos Sato Schmidt
		Schneider Shah Sharma Silva Singh Smith Søndergaard Soto Stein Stewart Suárez Sullivan Suzuki Takahashi Tanaka Taylor Thompson
		Torres Tran Turner Vargas Vásquez Walker Wagner Wang Ward Washington Watanabe Weber White Williams Wilson Wong Wright Wu Xu
		Yamamoto Yang Yilmaz Young Zhang Ziegler Žižek`)
	salutations = words("Ms. Mr. Dr. Mx. Prof. Rev.")
	jobTitles   = phrases("Executive Director|Director of Giving|Treasurer|Program Officer|Grants Manager|Chief Executive|Secretary|Head of Community Affairs|Finance Manager|President")
)

// place is a town with its region.
type place struct{ city, state, postal, county, country string }

// The places of the sample's addresses; the last ones lie in Canada.
var places = []place{
	{"Port Alder", "WA", "98", "Alder County", "United States"}, {"Fairhaven", "WA", "98", "Alder County", "United States"},
	{"Millbrook", "OR", "97", "Lane County", "United States"}, {"San Esteban", "CA", "93", "Costa County", "United States"},
	{"Cañon Verde", "NM", "87", "Rio Verde County", "United States"}, {"Winslow Falls", "MN", "55", "Winslow County", "United States"},
	{"Saint-Aubin", "LA", "70", "Aubin Parish", "United States"}, {"Harper's Mill", "NC", "27", "Harper County", "United States"},
	{"Lakemoor", "IL", "60", "Moor County", "United States"}, {"East Denby", "MA", "01", "Denby County", "United States"},
	{"Coral Bight", "FL", "33", "Bight County", "United States"}, {"Prairie Bend", "KS", "66", "Bend County", "United States"},
	{"Sainte-Hélène", "QC", "H2X", "Montréal", "Canada"}, {"North Ferry", "BC", "V6B", "Metro Vancouver", "Canada"},
}

const canadianPlaces = 2 // at the end of places

var streets = phrases(`Maple Street|Harbor Road|Juniper Lane|Cedar Avenue|Orchard Way|Mission Street|Calle de la Peña|Lakeview Drive|Rue des Érables|
	Mill Road|Station Road|Prospect Avenue|Sunset Boulevard|College Street|Old Post Road|Riverside Drive|Garden Court|Hilltop Terrace`)

// The parts of which names of organizations and funds are made.
var (
	businessKinds = phrases("Credit Union|Family Foundation|Holdings|Lumber Company|Medical Group|Partners LLP|Savings Bank|Manufacturing|Software|Architects|Market|Charitable Trust")
	charityKinds  = phrases(`Food Bank|Literacy Council|Symphony Orchestra|Land Trust|Community Clinic|Youth Center|Historical Society|Animal Shelter|Housing Alliance|
		Arts Council|Senior Services|Theatre|Public Library|Boys and Girls Club|Hospice|Science Museum|Women's Shelter|Community College`)
	causes = phrases(`Arts|Education|Environment|Health|Housing|Youth|Music|Literacy|Early Childhood|Veterans|Animal Welfare|Parks and Trails|Food Security|
		Mental Health|Disaster Relief|Neighborhoods|Science|Women and Girls|Immigrant Families|Clean Water`)
	fundKinds = phrases("Fund|Endowment|Initiative|Scholarship Fund|Memorial Fund|Legacy Fund")
	projects  = phrases(`After-school program|Mobile clinic|New roof|Summer camp|Reading tutors|Trail restoration|Food pantry|Instrument library|Emergency shelter beds|
		Job training|Community garden|Oral history archive|Dental days|Playground renewal|Winter coats|Teacher grants|Watershed study|Senior meals`)
	stocks = []struct{ company, symbol string }{
		{"Alder Networks", "ALDN"}, {"Borealis Energy", "BORE"}, {"Cinder Foods", "CNDR"}, {"Delphi Instruments", "DLPI"}, {"Évora Textiles", "EVTX"},
		{"Fjord Shipping", "FJRD"}, {"Granite Re", "GRNT"}, {"Helios Solar", "HLSO"},
	}
)
